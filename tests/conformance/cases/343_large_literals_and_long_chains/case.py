table = {
    'key0': (0, ''),
    'key1': (1, 'v'),
    'key2': (2, 'vv'),
    'key3': (3, 'vvv'),
    'key4': (4, 'vvvv'),
    'key5': (5, 'vvvvv'),
    'key6': (6, 'vvvvvv'),
    'key7': (7, ''),
    'key8': (8, 'v'),
    'key9': (9, 'vv'),
    'key10': (10, 'vvv'),
    'key11': (11, 'vvvv'),
    'key12': (12, 'vvvvv'),
    'key13': (13, 'vvvvvv'),
    'key14': (14, ''),
    'key15': (15, 'v'),
    'key16': (16, 'vv'),
    'key17': (17, 'vvv'),
    'key18': (18, 'vvvv'),
    'key19': (19, 'vvvvv'),
    'key20': (20, 'vvvvvv'),
    'key21': (21, ''),
    'key22': (22, 'v'),
    'key23': (23, 'vv'),
    'key24': (24, 'vvv'),
    'key25': (25, 'vvvv'),
    'key26': (26, 'vvvvv'),
    'key27': (27, 'vvvvvv'),
    'key28': (28, ''),
    'key29': (29, 'v'),
    'key30': (30, 'vv'),
    'key31': (31, 'vvv'),
    'key32': (32, 'vvvv'),
    'key33': (33, 'vvvvv'),
    'key34': (34, 'vvvvvv'),
    'key35': (35, ''),
    'key36': (36, 'v'),
    'key37': (37, 'vv'),
    'key38': (38, 'vvv'),
    'key39': (39, 'vvvv'),
    'key40': (40, 'vvvvv'),
    'key41': (41, 'vvvvvv'),
    'key42': (42, ''),
    'key43': (43, 'v'),
    'key44': (44, 'vv'),
    'key45': (45, 'vvv'),
    'key46': (46, 'vvvv'),
    'key47': (47, 'vvvvv'),
    'key48': (48, 'vvvvvv'),
    'key49': (49, ''),
    'key50': (50, 'v'),
    'key51': (51, 'vv'),
    'key52': (52, 'vvv'),
    'key53': (53, 'vvvv'),
    'key54': (54, 'vvvvv'),
    'key55': (55, 'vvvvvv'),
    'key56': (56, ''),
    'key57': (57, 'v'),
    'key58': (58, 'vv'),
    'key59': (59, 'vvv'),
    'key60': (60, 'vvvv'),
    'key61': (61, 'vvvvv'),
    'key62': (62, 'vvvvvv'),
    'key63': (63, ''),
    'key64': (64, 'v'),
    'key65': (65, 'vv'),
    'key66': (66, 'vvv'),
    'key67': (67, 'vvvv'),
    'key68': (68, 'vvvvv'),
    'key69': (69, 'vvvvvv'),
    'key70': (70, ''),
    'key71': (71, 'v'),
    'key72': (72, 'vv'),
    'key73': (73, 'vvv'),
    'key74': (74, 'vvvv'),
    'key75': (75, 'vvvvv'),
    'key76': (76, 'vvvvvv'),
    'key77': (77, ''),
    'key78': (78, 'v'),
    'key79': (79, 'vv'),
    'key80': (80, 'vvv'),
    'key81': (81, 'vvvv'),
    'key82': (82, 'vvvvv'),
    'key83': (83, 'vvvvvv'),
    'key84': (84, ''),
    'key85': (85, 'v'),
    'key86': (86, 'vv'),
    'key87': (87, 'vvv'),
    'key88': (88, 'vvvv'),
    'key89': (89, 'vvvvv'),
    'key90': (90, 'vvvvvv'),
    'key91': (91, ''),
    'key92': (92, 'v'),
    'key93': (93, 'vv'),
    'key94': (94, 'vvv'),
    'key95': (95, 'vvvv'),
    'key96': (96, 'vvvvv'),
    'key97': (97, 'vvvvvv'),
    'key98': (98, ''),
    'key99': (99, 'v'),
    'key100': (100, 'vv'),
    'key101': (101, 'vvv'),
    'key102': (102, 'vvvv'),
    'key103': (103, 'vvvvv'),
    'key104': (104, 'vvvvvv'),
    'key105': (105, ''),
    'key106': (106, 'v'),
    'key107': (107, 'vv'),
    'key108': (108, 'vvv'),
    'key109': (109, 'vvvv'),
    'key110': (110, 'vvvvv'),
    'key111': (111, 'vvvvvv'),
    'key112': (112, ''),
    'key113': (113, 'v'),
    'key114': (114, 'vv'),
    'key115': (115, 'vvv'),
    'key116': (116, 'vvvv'),
    'key117': (117, 'vvvvv'),
    'key118': (118, 'vvvvvv'),
    'key119': (119, ''),
    'key120': (120, 'v'),
    'key121': (121, 'vv'),
    'key122': (122, 'vvv'),
    'key123': (123, 'vvvv'),
    'key124': (124, 'vvvvv'),
    'key125': (125, 'vvvvvv'),
    'key126': (126, ''),
    'key127': (127, 'v'),
    'key128': (128, 'vv'),
    'key129': (129, 'vvv'),
    'key130': (130, 'vvvv'),
    'key131': (131, 'vvvvv'),
    'key132': (132, 'vvvvvv'),
    'key133': (133, ''),
    'key134': (134, 'v'),
    'key135': (135, 'vv'),
    'key136': (136, 'vvv'),
    'key137': (137, 'vvvv'),
    'key138': (138, 'vvvvv'),
    'key139': (139, 'vvvvvv'),
    'key140': (140, ''),
    'key141': (141, 'v'),
    'key142': (142, 'vv'),
    'key143': (143, 'vvv'),
    'key144': (144, 'vvvv'),
    'key145': (145, 'vvvvv'),
    'key146': (146, 'vvvvvv'),
    'key147': (147, ''),
    'key148': (148, 'v'),
    'key149': (149, 'vv'),
    'key150': (150, 'vvv'),
    'key151': (151, 'vvvv'),
    'key152': (152, 'vvvvv'),
    'key153': (153, 'vvvvvv'),
    'key154': (154, ''),
    'key155': (155, 'v'),
    'key156': (156, 'vv'),
    'key157': (157, 'vvv'),
    'key158': (158, 'vvvv'),
    'key159': (159, 'vvvvv'),
    'key160': (160, 'vvvvvv'),
    'key161': (161, ''),
    'key162': (162, 'v'),
    'key163': (163, 'vv'),
    'key164': (164, 'vvv'),
    'key165': (165, 'vvvv'),
    'key166': (166, 'vvvvv'),
    'key167': (167, 'vvvvvv'),
    'key168': (168, ''),
    'key169': (169, 'v'),
    'key170': (170, 'vv'),
    'key171': (171, 'vvv'),
    'key172': (172, 'vvvv'),
    'key173': (173, 'vvvvv'),
    'key174': (174, 'vvvvvv'),
    'key175': (175, ''),
    'key176': (176, 'v'),
    'key177': (177, 'vv'),
    'key178': (178, 'vvv'),
    'key179': (179, 'vvvv'),
    'key180': (180, 'vvvvv'),
    'key181': (181, 'vvvvvv'),
    'key182': (182, ''),
    'key183': (183, 'v'),
    'key184': (184, 'vv'),
    'key185': (185, 'vvv'),
    'key186': (186, 'vvvv'),
    'key187': (187, 'vvvvv'),
    'key188': (188, 'vvvvvv'),
    'key189': (189, ''),
    'key190': (190, 'v'),
    'key191': (191, 'vv'),
    'key192': (192, 'vvv'),
    'key193': (193, 'vvvv'),
    'key194': (194, 'vvvvv'),
    'key195': (195, 'vvvvvv'),
    'key196': (196, ''),
    'key197': (197, 'v'),
    'key198': (198, 'vv'),
    'key199': (199, 'vvv'),
    'key200': (200, 'vvvv'),
    'key201': (201, 'vvvvv'),
    'key202': (202, 'vvvvvv'),
    'key203': (203, ''),
    'key204': (204, 'v'),
    'key205': (205, 'vv'),
    'key206': (206, 'vvv'),
    'key207': (207, 'vvvv'),
    'key208': (208, 'vvvvv'),
    'key209': (209, 'vvvvvv'),
    'key210': (210, ''),
    'key211': (211, 'v'),
    'key212': (212, 'vv'),
    'key213': (213, 'vvv'),
    'key214': (214, 'vvvv'),
    'key215': (215, 'vvvvv'),
    'key216': (216, 'vvvvvv'),
    'key217': (217, ''),
    'key218': (218, 'v'),
    'key219': (219, 'vv'),
    'key220': (220, 'vvv'),
    'key221': (221, 'vvvv'),
    'key222': (222, 'vvvvv'),
    'key223': (223, 'vvvvvv'),
    'key224': (224, ''),
    'key225': (225, 'v'),
    'key226': (226, 'vv'),
    'key227': (227, 'vvv'),
    'key228': (228, 'vvvv'),
    'key229': (229, 'vvvvv'),
    'key230': (230, 'vvvvvv'),
    'key231': (231, ''),
    'key232': (232, 'v'),
    'key233': (233, 'vv'),
    'key234': (234, 'vvv'),
    'key235': (235, 'vvvv'),
    'key236': (236, 'vvvvv'),
    'key237': (237, 'vvvvvv'),
    'key238': (238, ''),
    'key239': (239, 'v'),
    'key240': (240, 'vv'),
    'key241': (241, 'vvv'),
    'key242': (242, 'vvvv'),
    'key243': (243, 'vvvvv'),
    'key244': (244, 'vvvvvv'),
    'key245': (245, ''),
    'key246': (246, 'v'),
    'key247': (247, 'vv'),
    'key248': (248, 'vvv'),
    'key249': (249, 'vvvv'),
    'key250': (250, 'vvvvv'),
    'key251': (251, 'vvvvvv'),
    'key252': (252, ''),
    'key253': (253, 'v'),
    'key254': (254, 'vv'),
    'key255': (255, 'vvv'),
    'key256': (256, 'vvvv'),
    'key257': (257, 'vvvvv'),
    'key258': (258, 'vvvvvv'),
    'key259': (259, ''),
    'key260': (260, 'v'),
    'key261': (261, 'vv'),
    'key262': (262, 'vvv'),
    'key263': (263, 'vvvv'),
    'key264': (264, 'vvvvv'),
    'key265': (265, 'vvvvvv'),
    'key266': (266, ''),
    'key267': (267, 'v'),
    'key268': (268, 'vv'),
    'key269': (269, 'vvv'),
    'key270': (270, 'vvvv'),
    'key271': (271, 'vvvvv'),
    'key272': (272, 'vvvvvv'),
    'key273': (273, ''),
    'key274': (274, 'v'),
    'key275': (275, 'vv'),
    'key276': (276, 'vvv'),
    'key277': (277, 'vvvv'),
    'key278': (278, 'vvvvv'),
    'key279': (279, 'vvvvvv'),
    'key280': (280, ''),
    'key281': (281, 'v'),
    'key282': (282, 'vv'),
    'key283': (283, 'vvv'),
    'key284': (284, 'vvvv'),
    'key285': (285, 'vvvvv'),
    'key286': (286, 'vvvvvv'),
    'key287': (287, ''),
    'key288': (288, 'v'),
    'key289': (289, 'vv'),
    'key290': (290, 'vvv'),
    'key291': (291, 'vvvv'),
    'key292': (292, 'vvvvv'),
    'key293': (293, 'vvvvvv'),
    'key294': (294, ''),
    'key295': (295, 'v'),
    'key296': (296, 'vv'),
    'key297': (297, 'vvv'),
    'key298': (298, 'vvvv'),
    'key299': (299, 'vvvvv'),
    'key300': (300, 'vvvvvv'),
    'key301': (301, ''),
    'key302': (302, 'v'),
    'key303': (303, 'vv'),
    'key304': (304, 'vvv'),
    'key305': (305, 'vvvv'),
    'key306': (306, 'vvvvv'),
    'key307': (307, 'vvvvvv'),
    'key308': (308, ''),
    'key309': (309, 'v'),
    'key310': (310, 'vv'),
    'key311': (311, 'vvv'),
    'key312': (312, 'vvvv'),
    'key313': (313, 'vvvvv'),
    'key314': (314, 'vvvvvv'),
    'key315': (315, ''),
    'key316': (316, 'v'),
    'key317': (317, 'vv'),
    'key318': (318, 'vvv'),
    'key319': (319, 'vvvv'),
    'key320': (320, 'vvvvv'),
    'key321': (321, 'vvvvvv'),
    'key322': (322, ''),
    'key323': (323, 'v'),
    'key324': (324, 'vv'),
    'key325': (325, 'vvv'),
    'key326': (326, 'vvvv'),
    'key327': (327, 'vvvvv'),
    'key328': (328, 'vvvvvv'),
    'key329': (329, ''),
    'key330': (330, 'v'),
    'key331': (331, 'vv'),
    'key332': (332, 'vvv'),
    'key333': (333, 'vvvv'),
    'key334': (334, 'vvvvv'),
    'key335': (335, 'vvvvvv'),
    'key336': (336, ''),
    'key337': (337, 'v'),
    'key338': (338, 'vv'),
    'key339': (339, 'vvv'),
    'key340': (340, 'vvvv'),
    'key341': (341, 'vvvvv'),
    'key342': (342, 'vvvvvv'),
    'key343': (343, ''),
    'key344': (344, 'v'),
    'key345': (345, 'vv'),
    'key346': (346, 'vvv'),
    'key347': (347, 'vvvv'),
    'key348': (348, 'vvvvv'),
    'key349': (349, 'vvvvvv'),
    'key350': (350, ''),
    'key351': (351, 'v'),
    'key352': (352, 'vv'),
    'key353': (353, 'vvv'),
    'key354': (354, 'vvvv'),
    'key355': (355, 'vvvvv'),
    'key356': (356, 'vvvvvv'),
    'key357': (357, ''),
    'key358': (358, 'v'),
    'key359': (359, 'vv'),
    'key360': (360, 'vvv'),
    'key361': (361, 'vvvv'),
    'key362': (362, 'vvvvv'),
    'key363': (363, 'vvvvvv'),
    'key364': (364, ''),
    'key365': (365, 'v'),
    'key366': (366, 'vv'),
    'key367': (367, 'vvv'),
    'key368': (368, 'vvvv'),
    'key369': (369, 'vvvvv'),
    'key370': (370, 'vvvvvv'),
    'key371': (371, ''),
    'key372': (372, 'v'),
    'key373': (373, 'vv'),
    'key374': (374, 'vvv'),
    'key375': (375, 'vvvv'),
    'key376': (376, 'vvvvv'),
    'key377': (377, 'vvvvvv'),
    'key378': (378, ''),
    'key379': (379, 'v'),
    'key380': (380, 'vv'),
    'key381': (381, 'vvv'),
    'key382': (382, 'vvvv'),
    'key383': (383, 'vvvvv'),
    'key384': (384, 'vvvvvv'),
    'key385': (385, ''),
    'key386': (386, 'v'),
    'key387': (387, 'vv'),
    'key388': (388, 'vvv'),
    'key389': (389, 'vvvv'),
    'key390': (390, 'vvvvv'),
    'key391': (391, 'vvvvvv'),
    'key392': (392, ''),
    'key393': (393, 'v'),
    'key394': (394, 'vv'),
    'key395': (395, 'vvv'),
    'key396': (396, 'vvvv'),
    'key397': (397, 'vvvvv'),
    'key398': (398, 'vvvvvv'),
    'key399': (399, ''),
    'key400': (400, 'v'),
    'key401': (401, 'vv'),
    'key402': (402, 'vvv'),
    'key403': (403, 'vvvv'),
    'key404': (404, 'vvvvv'),
    'key405': (405, 'vvvvvv'),
    'key406': (406, ''),
    'key407': (407, 'v'),
    'key408': (408, 'vv'),
    'key409': (409, 'vvv'),
    'key410': (410, 'vvvv'),
    'key411': (411, 'vvvvv'),
    'key412': (412, 'vvvvvv'),
    'key413': (413, ''),
    'key414': (414, 'v'),
    'key415': (415, 'vv'),
    'key416': (416, 'vvv'),
    'key417': (417, 'vvvv'),
    'key418': (418, 'vvvvv'),
    'key419': (419, 'vvvvvv'),
    'key420': (420, ''),
    'key421': (421, 'v'),
    'key422': (422, 'vv'),
    'key423': (423, 'vvv'),
    'key424': (424, 'vvvv'),
    'key425': (425, 'vvvvv'),
    'key426': (426, 'vvvvvv'),
    'key427': (427, ''),
    'key428': (428, 'v'),
    'key429': (429, 'vv'),
    'key430': (430, 'vvv'),
    'key431': (431, 'vvvv'),
    'key432': (432, 'vvvvv'),
    'key433': (433, 'vvvvvv'),
    'key434': (434, ''),
    'key435': (435, 'v'),
    'key436': (436, 'vv'),
    'key437': (437, 'vvv'),
    'key438': (438, 'vvvv'),
    'key439': (439, 'vvvvv'),
    'key440': (440, 'vvvvvv'),
    'key441': (441, ''),
    'key442': (442, 'v'),
    'key443': (443, 'vv'),
    'key444': (444, 'vvv'),
    'key445': (445, 'vvvv'),
    'key446': (446, 'vvvvv'),
    'key447': (447, 'vvvvvv'),
    'key448': (448, ''),
    'key449': (449, 'v'),
    'key450': (450, 'vv'),
    'key451': (451, 'vvv'),
    'key452': (452, 'vvvv'),
    'key453': (453, 'vvvvv'),
    'key454': (454, 'vvvvvv'),
    'key455': (455, ''),
    'key456': (456, 'v'),
    'key457': (457, 'vv'),
    'key458': (458, 'vvv'),
    'key459': (459, 'vvvv'),
    'key460': (460, 'vvvvv'),
    'key461': (461, 'vvvvvv'),
    'key462': (462, ''),
    'key463': (463, 'v'),
    'key464': (464, 'vv'),
    'key465': (465, 'vvv'),
    'key466': (466, 'vvvv'),
    'key467': (467, 'vvvvv'),
    'key468': (468, 'vvvvvv'),
    'key469': (469, ''),
    'key470': (470, 'v'),
    'key471': (471, 'vv'),
    'key472': (472, 'vvv'),
    'key473': (473, 'vvvv'),
    'key474': (474, 'vvvvv'),
    'key475': (475, 'vvvvvv'),
    'key476': (476, ''),
    'key477': (477, 'v'),
    'key478': (478, 'vv'),
    'key479': (479, 'vvv'),
    'key480': (480, 'vvvv'),
    'key481': (481, 'vvvvv'),
    'key482': (482, 'vvvvvv'),
    'key483': (483, ''),
    'key484': (484, 'v'),
    'key485': (485, 'vv'),
    'key486': (486, 'vvv'),
    'key487': (487, 'vvvv'),
    'key488': (488, 'vvvvv'),
    'key489': (489, 'vvvvvv'),
    'key490': (490, ''),
    'key491': (491, 'v'),
    'key492': (492, 'vv'),
    'key493': (493, 'vvv'),
    'key494': (494, 'vvvv'),
    'key495': (495, 'vvvvv'),
    'key496': (496, 'vvvvvv'),
    'key497': (497, ''),
    'key498': (498, 'v'),
    'key499': (499, 'vv'),
    'key500': (500, 'vvv'),
    'key501': (501, 'vvvv'),
    'key502': (502, 'vvvvv'),
    'key503': (503, 'vvvvvv'),
    'key504': (504, ''),
    'key505': (505, 'v'),
    'key506': (506, 'vv'),
    'key507': (507, 'vvv'),
    'key508': (508, 'vvvv'),
    'key509': (509, 'vvvvv'),
    'key510': (510, 'vvvvvv'),
    'key511': (511, ''),
    'key512': (512, 'v'),
    'key513': (513, 'vv'),
    'key514': (514, 'vvv'),
    'key515': (515, 'vvvv'),
    'key516': (516, 'vvvvv'),
    'key517': (517, 'vvvvvv'),
    'key518': (518, ''),
    'key519': (519, 'v'),
    'key520': (520, 'vv'),
    'key521': (521, 'vvv'),
    'key522': (522, 'vvvv'),
    'key523': (523, 'vvvvv'),
    'key524': (524, 'vvvvvv'),
    'key525': (525, ''),
    'key526': (526, 'v'),
    'key527': (527, 'vv'),
    'key528': (528, 'vvv'),
    'key529': (529, 'vvvv'),
    'key530': (530, 'vvvvv'),
    'key531': (531, 'vvvvvv'),
    'key532': (532, ''),
    'key533': (533, 'v'),
    'key534': (534, 'vv'),
    'key535': (535, 'vvv'),
    'key536': (536, 'vvvv'),
    'key537': (537, 'vvvvv'),
    'key538': (538, 'vvvvvv'),
    'key539': (539, ''),
    'key540': (540, 'v'),
    'key541': (541, 'vv'),
    'key542': (542, 'vvv'),
    'key543': (543, 'vvvv'),
    'key544': (544, 'vvvvv'),
    'key545': (545, 'vvvvvv'),
    'key546': (546, ''),
    'key547': (547, 'v'),
    'key548': (548, 'vv'),
    'key549': (549, 'vvv'),
    'key550': (550, 'vvvv'),
    'key551': (551, 'vvvvv'),
    'key552': (552, 'vvvvvv'),
    'key553': (553, ''),
    'key554': (554, 'v'),
    'key555': (555, 'vv'),
    'key556': (556, 'vvv'),
    'key557': (557, 'vvvv'),
    'key558': (558, 'vvvvv'),
    'key559': (559, 'vvvvvv'),
    'key560': (560, ''),
    'key561': (561, 'v'),
    'key562': (562, 'vv'),
    'key563': (563, 'vvv'),
    'key564': (564, 'vvvv'),
    'key565': (565, 'vvvvv'),
    'key566': (566, 'vvvvvv'),
    'key567': (567, ''),
    'key568': (568, 'v'),
    'key569': (569, 'vv'),
    'key570': (570, 'vvv'),
    'key571': (571, 'vvvv'),
    'key572': (572, 'vvvvv'),
    'key573': (573, 'vvvvvv'),
    'key574': (574, ''),
    'key575': (575, 'v'),
    'key576': (576, 'vv'),
    'key577': (577, 'vvv'),
    'key578': (578, 'vvvv'),
    'key579': (579, 'vvvvv'),
    'key580': (580, 'vvvvvv'),
    'key581': (581, ''),
    'key582': (582, 'v'),
    'key583': (583, 'vv'),
    'key584': (584, 'vvv'),
    'key585': (585, 'vvvv'),
    'key586': (586, 'vvvvv'),
    'key587': (587, 'vvvvvv'),
    'key588': (588, ''),
    'key589': (589, 'v'),
    'key590': (590, 'vv'),
    'key591': (591, 'vvv'),
    'key592': (592, 'vvvv'),
    'key593': (593, 'vvvvv'),
    'key594': (594, 'vvvvvv'),
    'key595': (595, ''),
    'key596': (596, 'v'),
    'key597': (597, 'vv'),
    'key598': (598, 'vvv'),
    'key599': (599, 'vvvv'),
    'key600': (600, 'vvvvv'),
    'key601': (601, 'vvvvvv'),
    'key602': (602, ''),
    'key603': (603, 'v'),
    'key604': (604, 'vv'),
    'key605': (605, 'vvv'),
    'key606': (606, 'vvvv'),
    'key607': (607, 'vvvvv'),
    'key608': (608, 'vvvvvv'),
    'key609': (609, ''),
    'key610': (610, 'v'),
    'key611': (611, 'vv'),
    'key612': (612, 'vvv'),
    'key613': (613, 'vvvv'),
    'key614': (614, 'vvvvv'),
    'key615': (615, 'vvvvvv'),
    'key616': (616, ''),
    'key617': (617, 'v'),
    'key618': (618, 'vv'),
    'key619': (619, 'vvv'),
    'key620': (620, 'vvvv'),
    'key621': (621, 'vvvvv'),
    'key622': (622, 'vvvvvv'),
    'key623': (623, ''),
    'key624': (624, 'v'),
    'key625': (625, 'vv'),
    'key626': (626, 'vvv'),
    'key627': (627, 'vvvv'),
    'key628': (628, 'vvvvv'),
    'key629': (629, 'vvvvvv'),
    'key630': (630, ''),
    'key631': (631, 'v'),
    'key632': (632, 'vv'),
    'key633': (633, 'vvv'),
    'key634': (634, 'vvvv'),
    'key635': (635, 'vvvvv'),
    'key636': (636, 'vvvvvv'),
    'key637': (637, ''),
    'key638': (638, 'v'),
    'key639': (639, 'vv'),
    'key640': (640, 'vvv'),
    'key641': (641, 'vvvv'),
    'key642': (642, 'vvvvv'),
    'key643': (643, 'vvvvvv'),
    'key644': (644, ''),
    'key645': (645, 'v'),
    'key646': (646, 'vv'),
    'key647': (647, 'vvv'),
    'key648': (648, 'vvvv'),
    'key649': (649, 'vvvvv'),
    'key650': (650, 'vvvvvv'),
    'key651': (651, ''),
    'key652': (652, 'v'),
    'key653': (653, 'vv'),
    'key654': (654, 'vvv'),
    'key655': (655, 'vvvv'),
    'key656': (656, 'vvvvv'),
    'key657': (657, 'vvvvvv'),
    'key658': (658, ''),
    'key659': (659, 'v'),
    'key660': (660, 'vv'),
    'key661': (661, 'vvv'),
    'key662': (662, 'vvvv'),
    'key663': (663, 'vvvvv'),
    'key664': (664, 'vvvvvv'),
    'key665': (665, ''),
    'key666': (666, 'v'),
    'key667': (667, 'vv'),
    'key668': (668, 'vvv'),
    'key669': (669, 'vvvv'),
    'key670': (670, 'vvvvv'),
    'key671': (671, 'vvvvvv'),
    'key672': (672, ''),
    'key673': (673, 'v'),
    'key674': (674, 'vv'),
    'key675': (675, 'vvv'),
    'key676': (676, 'vvvv'),
    'key677': (677, 'vvvvv'),
    'key678': (678, 'vvvvvv'),
    'key679': (679, ''),
    'key680': (680, 'v'),
    'key681': (681, 'vv'),
    'key682': (682, 'vvv'),
    'key683': (683, 'vvvv'),
    'key684': (684, 'vvvvv'),
    'key685': (685, 'vvvvvv'),
    'key686': (686, ''),
    'key687': (687, 'v'),
    'key688': (688, 'vv'),
    'key689': (689, 'vvv'),
    'key690': (690, 'vvvv'),
    'key691': (691, 'vvvvv'),
    'key692': (692, 'vvvvvv'),
    'key693': (693, ''),
    'key694': (694, 'v'),
    'key695': (695, 'vv'),
    'key696': (696, 'vvv'),
    'key697': (697, 'vvvv'),
    'key698': (698, 'vvvvv'),
    'key699': (699, 'vvvvvv'),
    'key700': (700, ''),
    'key701': (701, 'v'),
    'key702': (702, 'vv'),
    'key703': (703, 'vvv'),
    'key704': (704, 'vvvv'),
    'key705': (705, 'vvvvv'),
    'key706': (706, 'vvvvvv'),
    'key707': (707, ''),
    'key708': (708, 'v'),
    'key709': (709, 'vv'),
    'key710': (710, 'vvv'),
    'key711': (711, 'vvvv'),
    'key712': (712, 'vvvvv'),
    'key713': (713, 'vvvvvv'),
    'key714': (714, ''),
    'key715': (715, 'v'),
    'key716': (716, 'vv'),
    'key717': (717, 'vvv'),
    'key718': (718, 'vvvv'),
    'key719': (719, 'vvvvv'),
    'key720': (720, 'vvvvvv'),
    'key721': (721, ''),
    'key722': (722, 'v'),
    'key723': (723, 'vv'),
    'key724': (724, 'vvv'),
    'key725': (725, 'vvvv'),
    'key726': (726, 'vvvvv'),
    'key727': (727, 'vvvvvv'),
    'key728': (728, ''),
    'key729': (729, 'v'),
    'key730': (730, 'vv'),
    'key731': (731, 'vvv'),
    'key732': (732, 'vvvv'),
    'key733': (733, 'vvvvv'),
    'key734': (734, 'vvvvvv'),
    'key735': (735, ''),
    'key736': (736, 'v'),
    'key737': (737, 'vv'),
    'key738': (738, 'vvv'),
    'key739': (739, 'vvvv'),
    'key740': (740, 'vvvvv'),
    'key741': (741, 'vvvvvv'),
    'key742': (742, ''),
    'key743': (743, 'v'),
    'key744': (744, 'vv'),
    'key745': (745, 'vvv'),
    'key746': (746, 'vvvv'),
    'key747': (747, 'vvvvv'),
    'key748': (748, 'vvvvvv'),
    'key749': (749, ''),
    'key750': (750, 'v'),
    'key751': (751, 'vv'),
    'key752': (752, 'vvv'),
    'key753': (753, 'vvvv'),
    'key754': (754, 'vvvvv'),
    'key755': (755, 'vvvvvv'),
    'key756': (756, ''),
    'key757': (757, 'v'),
    'key758': (758, 'vv'),
    'key759': (759, 'vvv'),
    'key760': (760, 'vvvv'),
    'key761': (761, 'vvvvv'),
    'key762': (762, 'vvvvvv'),
    'key763': (763, ''),
    'key764': (764, 'v'),
    'key765': (765, 'vv'),
    'key766': (766, 'vvv'),
    'key767': (767, 'vvvv'),
    'key768': (768, 'vvvvv'),
    'key769': (769, 'vvvvvv'),
    'key770': (770, ''),
    'key771': (771, 'v'),
    'key772': (772, 'vv'),
    'key773': (773, 'vvv'),
    'key774': (774, 'vvvv'),
    'key775': (775, 'vvvvv'),
    'key776': (776, 'vvvvvv'),
    'key777': (777, ''),
    'key778': (778, 'v'),
    'key779': (779, 'vv'),
    'key780': (780, 'vvv'),
    'key781': (781, 'vvvv'),
    'key782': (782, 'vvvvv'),
    'key783': (783, 'vvvvvv'),
    'key784': (784, ''),
    'key785': (785, 'v'),
    'key786': (786, 'vv'),
    'key787': (787, 'vvv'),
    'key788': (788, 'vvvv'),
    'key789': (789, 'vvvvv'),
    'key790': (790, 'vvvvvv'),
    'key791': (791, ''),
    'key792': (792, 'v'),
    'key793': (793, 'vv'),
    'key794': (794, 'vvv'),
    'key795': (795, 'vvvv'),
    'key796': (796, 'vvvvv'),
    'key797': (797, 'vvvvvv'),
    'key798': (798, ''),
    'key799': (799, 'v'),
    'key800': (800, 'vv'),
    'key801': (801, 'vvv'),
    'key802': (802, 'vvvv'),
    'key803': (803, 'vvvvv'),
    'key804': (804, 'vvvvvv'),
    'key805': (805, ''),
    'key806': (806, 'v'),
    'key807': (807, 'vv'),
    'key808': (808, 'vvv'),
    'key809': (809, 'vvvv'),
    'key810': (810, 'vvvvv'),
    'key811': (811, 'vvvvvv'),
    'key812': (812, ''),
    'key813': (813, 'v'),
    'key814': (814, 'vv'),
    'key815': (815, 'vvv'),
    'key816': (816, 'vvvv'),
    'key817': (817, 'vvvvv'),
    'key818': (818, 'vvvvvv'),
    'key819': (819, ''),
    'key820': (820, 'v'),
    'key821': (821, 'vv'),
    'key822': (822, 'vvv'),
    'key823': (823, 'vvvv'),
    'key824': (824, 'vvvvv'),
    'key825': (825, 'vvvvvv'),
    'key826': (826, ''),
    'key827': (827, 'v'),
    'key828': (828, 'vv'),
    'key829': (829, 'vvv'),
    'key830': (830, 'vvvv'),
    'key831': (831, 'vvvvv'),
    'key832': (832, 'vvvvvv'),
    'key833': (833, ''),
    'key834': (834, 'v'),
    'key835': (835, 'vv'),
    'key836': (836, 'vvv'),
    'key837': (837, 'vvvv'),
    'key838': (838, 'vvvvv'),
    'key839': (839, 'vvvvvv'),
    'key840': (840, ''),
    'key841': (841, 'v'),
    'key842': (842, 'vv'),
    'key843': (843, 'vvv'),
    'key844': (844, 'vvvv'),
    'key845': (845, 'vvvvv'),
    'key846': (846, 'vvvvvv'),
    'key847': (847, ''),
    'key848': (848, 'v'),
    'key849': (849, 'vv'),
    'key850': (850, 'vvv'),
    'key851': (851, 'vvvv'),
    'key852': (852, 'vvvvv'),
    'key853': (853, 'vvvvvv'),
    'key854': (854, ''),
    'key855': (855, 'v'),
    'key856': (856, 'vv'),
    'key857': (857, 'vvv'),
    'key858': (858, 'vvvv'),
    'key859': (859, 'vvvvv'),
    'key860': (860, 'vvvvvv'),
    'key861': (861, ''),
    'key862': (862, 'v'),
    'key863': (863, 'vv'),
    'key864': (864, 'vvv'),
    'key865': (865, 'vvvv'),
    'key866': (866, 'vvvvv'),
    'key867': (867, 'vvvvvv'),
    'key868': (868, ''),
    'key869': (869, 'v'),
    'key870': (870, 'vv'),
    'key871': (871, 'vvv'),
    'key872': (872, 'vvvv'),
    'key873': (873, 'vvvvv'),
    'key874': (874, 'vvvvvv'),
    'key875': (875, ''),
    'key876': (876, 'v'),
    'key877': (877, 'vv'),
    'key878': (878, 'vvv'),
    'key879': (879, 'vvvv'),
    'key880': (880, 'vvvvv'),
    'key881': (881, 'vvvvvv'),
    'key882': (882, ''),
    'key883': (883, 'v'),
    'key884': (884, 'vv'),
    'key885': (885, 'vvv'),
    'key886': (886, 'vvvv'),
    'key887': (887, 'vvvvv'),
    'key888': (888, 'vvvvvv'),
    'key889': (889, ''),
    'key890': (890, 'v'),
    'key891': (891, 'vv'),
    'key892': (892, 'vvv'),
    'key893': (893, 'vvvv'),
    'key894': (894, 'vvvvv'),
    'key895': (895, 'vvvvvv'),
    'key896': (896, ''),
    'key897': (897, 'v'),
    'key898': (898, 'vv'),
    'key899': (899, 'vvv'),
    'key900': (900, 'vvvv'),
    'key901': (901, 'vvvvv'),
    'key902': (902, 'vvvvvv'),
    'key903': (903, ''),
    'key904': (904, 'v'),
    'key905': (905, 'vv'),
    'key906': (906, 'vvv'),
    'key907': (907, 'vvvv'),
    'key908': (908, 'vvvvv'),
    'key909': (909, 'vvvvvv'),
    'key910': (910, ''),
    'key911': (911, 'v'),
    'key912': (912, 'vv'),
    'key913': (913, 'vvv'),
    'key914': (914, 'vvvv'),
    'key915': (915, 'vvvvv'),
    'key916': (916, 'vvvvvv'),
    'key917': (917, ''),
    'key918': (918, 'v'),
    'key919': (919, 'vv'),
    'key920': (920, 'vvv'),
    'key921': (921, 'vvvv'),
    'key922': (922, 'vvvvv'),
    'key923': (923, 'vvvvvv'),
    'key924': (924, ''),
    'key925': (925, 'v'),
    'key926': (926, 'vv'),
    'key927': (927, 'vvv'),
    'key928': (928, 'vvvv'),
    'key929': (929, 'vvvvv'),
    'key930': (930, 'vvvvvv'),
    'key931': (931, ''),
    'key932': (932, 'v'),
    'key933': (933, 'vv'),
    'key934': (934, 'vvv'),
    'key935': (935, 'vvvv'),
    'key936': (936, 'vvvvv'),
    'key937': (937, 'vvvvvv'),
    'key938': (938, ''),
    'key939': (939, 'v'),
    'key940': (940, 'vv'),
    'key941': (941, 'vvv'),
    'key942': (942, 'vvvv'),
    'key943': (943, 'vvvvv'),
    'key944': (944, 'vvvvvv'),
    'key945': (945, ''),
    'key946': (946, 'v'),
    'key947': (947, 'vv'),
    'key948': (948, 'vvv'),
    'key949': (949, 'vvvv'),
    'key950': (950, 'vvvvv'),
    'key951': (951, 'vvvvvv'),
    'key952': (952, ''),
    'key953': (953, 'v'),
    'key954': (954, 'vv'),
    'key955': (955, 'vvv'),
    'key956': (956, 'vvvv'),
    'key957': (957, 'vvvvv'),
    'key958': (958, 'vvvvvv'),
    'key959': (959, ''),
    'key960': (960, 'v'),
    'key961': (961, 'vv'),
    'key962': (962, 'vvv'),
    'key963': (963, 'vvvv'),
    'key964': (964, 'vvvvv'),
    'key965': (965, 'vvvvvv'),
    'key966': (966, ''),
    'key967': (967, 'v'),
    'key968': (968, 'vv'),
    'key969': (969, 'vvv'),
    'key970': (970, 'vvvv'),
    'key971': (971, 'vvvvv'),
    'key972': (972, 'vvvvvv'),
    'key973': (973, ''),
    'key974': (974, 'v'),
    'key975': (975, 'vv'),
    'key976': (976, 'vvv'),
    'key977': (977, 'vvvv'),
    'key978': (978, 'vvvvv'),
    'key979': (979, 'vvvvvv'),
    'key980': (980, ''),
    'key981': (981, 'v'),
    'key982': (982, 'vv'),
    'key983': (983, 'vvv'),
    'key984': (984, 'vvvv'),
    'key985': (985, 'vvvvv'),
    'key986': (986, 'vvvvvv'),
    'key987': (987, ''),
    'key988': (988, 'v'),
    'key989': (989, 'vv'),
    'key990': (990, 'vvv'),
    'key991': (991, 'vvvv'),
    'key992': (992, 'vvvvv'),
    'key993': (993, 'vvvvvv'),
    'key994': (994, ''),
    'key995': (995, 'v'),
    'key996': (996, 'vv'),
    'key997': (997, 'vvv'),
    'key998': (998, 'vvvv'),
    'key999': (999, 'vvvvv'),
    'key1000': (1000, 'vvvvvv'),
    'key1001': (1001, ''),
    'key1002': (1002, 'v'),
    'key1003': (1003, 'vv'),
    'key1004': (1004, 'vvv'),
    'key1005': (1005, 'vvvv'),
    'key1006': (1006, 'vvvvv'),
    'key1007': (1007, 'vvvvvv'),
    'key1008': (1008, ''),
    'key1009': (1009, 'v'),
    'key1010': (1010, 'vv'),
    'key1011': (1011, 'vvv'),
    'key1012': (1012, 'vvvv'),
    'key1013': (1013, 'vvvvv'),
    'key1014': (1014, 'vvvvvv'),
    'key1015': (1015, ''),
    'key1016': (1016, 'v'),
    'key1017': (1017, 'vv'),
    'key1018': (1018, 'vvv'),
    'key1019': (1019, 'vvvv'),
    'key1020': (1020, 'vvvvv'),
    'key1021': (1021, 'vvvvvv'),
    'key1022': (1022, ''),
    'key1023': (1023, 'v'),
    'key1024': (1024, 'vv'),
    'key1025': (1025, 'vvv'),
    'key1026': (1026, 'vvvv'),
    'key1027': (1027, 'vvvvv'),
    'key1028': (1028, 'vvvvvv'),
    'key1029': (1029, ''),
    'key1030': (1030, 'v'),
    'key1031': (1031, 'vv'),
    'key1032': (1032, 'vvv'),
    'key1033': (1033, 'vvvv'),
    'key1034': (1034, 'vvvvv'),
    'key1035': (1035, 'vvvvvv'),
    'key1036': (1036, ''),
    'key1037': (1037, 'v'),
    'key1038': (1038, 'vv'),
    'key1039': (1039, 'vvv'),
    'key1040': (1040, 'vvvv'),
    'key1041': (1041, 'vvvvv'),
    'key1042': (1042, 'vvvvvv'),
    'key1043': (1043, ''),
    'key1044': (1044, 'v'),
    'key1045': (1045, 'vv'),
    'key1046': (1046, 'vvv'),
    'key1047': (1047, 'vvvv'),
    'key1048': (1048, 'vvvvv'),
    'key1049': (1049, 'vvvvvv'),
    'key1050': (1050, ''),
    'key1051': (1051, 'v'),
    'key1052': (1052, 'vv'),
    'key1053': (1053, 'vvv'),
    'key1054': (1054, 'vvvv'),
    'key1055': (1055, 'vvvvv'),
    'key1056': (1056, 'vvvvvv'),
    'key1057': (1057, ''),
    'key1058': (1058, 'v'),
    'key1059': (1059, 'vv'),
    'key1060': (1060, 'vvv'),
    'key1061': (1061, 'vvvv'),
    'key1062': (1062, 'vvvvv'),
    'key1063': (1063, 'vvvvvv'),
    'key1064': (1064, ''),
    'key1065': (1065, 'v'),
    'key1066': (1066, 'vv'),
    'key1067': (1067, 'vvv'),
    'key1068': (1068, 'vvvv'),
    'key1069': (1069, 'vvvvv'),
    'key1070': (1070, 'vvvvvv'),
    'key1071': (1071, ''),
    'key1072': (1072, 'v'),
    'key1073': (1073, 'vv'),
    'key1074': (1074, 'vvv'),
    'key1075': (1075, 'vvvv'),
    'key1076': (1076, 'vvvvv'),
    'key1077': (1077, 'vvvvvv'),
    'key1078': (1078, ''),
    'key1079': (1079, 'v'),
    'key1080': (1080, 'vv'),
    'key1081': (1081, 'vvv'),
    'key1082': (1082, 'vvvv'),
    'key1083': (1083, 'vvvvv'),
    'key1084': (1084, 'vvvvvv'),
    'key1085': (1085, ''),
    'key1086': (1086, 'v'),
    'key1087': (1087, 'vv'),
    'key1088': (1088, 'vvv'),
    'key1089': (1089, 'vvvv'),
    'key1090': (1090, 'vvvvv'),
    'key1091': (1091, 'vvvvvv'),
    'key1092': (1092, ''),
    'key1093': (1093, 'v'),
    'key1094': (1094, 'vv'),
    'key1095': (1095, 'vvv'),
    'key1096': (1096, 'vvvv'),
    'key1097': (1097, 'vvvvv'),
    'key1098': (1098, 'vvvvvv'),
    'key1099': (1099, ''),
    'key1100': (1100, 'v'),
    'key1101': (1101, 'vv'),
    'key1102': (1102, 'vvv'),
    'key1103': (1103, 'vvvv'),
    'key1104': (1104, 'vvvvv'),
    'key1105': (1105, 'vvvvvv'),
    'key1106': (1106, ''),
    'key1107': (1107, 'v'),
    'key1108': (1108, 'vv'),
    'key1109': (1109, 'vvv'),
    'key1110': (1110, 'vvvv'),
    'key1111': (1111, 'vvvvv'),
    'key1112': (1112, 'vvvvvv'),
    'key1113': (1113, ''),
    'key1114': (1114, 'v'),
    'key1115': (1115, 'vv'),
    'key1116': (1116, 'vvv'),
    'key1117': (1117, 'vvvv'),
    'key1118': (1118, 'vvvvv'),
    'key1119': (1119, 'vvvvvv'),
    'key1120': (1120, ''),
    'key1121': (1121, 'v'),
    'key1122': (1122, 'vv'),
    'key1123': (1123, 'vvv'),
    'key1124': (1124, 'vvvv'),
    'key1125': (1125, 'vvvvv'),
    'key1126': (1126, 'vvvvvv'),
    'key1127': (1127, ''),
    'key1128': (1128, 'v'),
    'key1129': (1129, 'vv'),
    'key1130': (1130, 'vvv'),
    'key1131': (1131, 'vvvv'),
    'key1132': (1132, 'vvvvv'),
    'key1133': (1133, 'vvvvvv'),
    'key1134': (1134, ''),
    'key1135': (1135, 'v'),
    'key1136': (1136, 'vv'),
    'key1137': (1137, 'vvv'),
    'key1138': (1138, 'vvvv'),
    'key1139': (1139, 'vvvvv'),
    'key1140': (1140, 'vvvvvv'),
    'key1141': (1141, ''),
    'key1142': (1142, 'v'),
    'key1143': (1143, 'vv'),
    'key1144': (1144, 'vvv'),
    'key1145': (1145, 'vvvv'),
    'key1146': (1146, 'vvvvv'),
    'key1147': (1147, 'vvvvvv'),
    'key1148': (1148, ''),
    'key1149': (1149, 'v'),
    'key1150': (1150, 'vv'),
    'key1151': (1151, 'vvv'),
    'key1152': (1152, 'vvvv'),
    'key1153': (1153, 'vvvvv'),
    'key1154': (1154, 'vvvvvv'),
    'key1155': (1155, ''),
    'key1156': (1156, 'v'),
    'key1157': (1157, 'vv'),
    'key1158': (1158, 'vvv'),
    'key1159': (1159, 'vvvv'),
    'key1160': (1160, 'vvvvv'),
    'key1161': (1161, 'vvvvvv'),
    'key1162': (1162, ''),
    'key1163': (1163, 'v'),
    'key1164': (1164, 'vv'),
    'key1165': (1165, 'vvv'),
    'key1166': (1166, 'vvvv'),
    'key1167': (1167, 'vvvvv'),
    'key1168': (1168, 'vvvvvv'),
    'key1169': (1169, ''),
    'key1170': (1170, 'v'),
    'key1171': (1171, 'vv'),
    'key1172': (1172, 'vvv'),
    'key1173': (1173, 'vvvv'),
    'key1174': (1174, 'vvvvv'),
    'key1175': (1175, 'vvvvvv'),
    'key1176': (1176, ''),
    'key1177': (1177, 'v'),
    'key1178': (1178, 'vv'),
    'key1179': (1179, 'vvv'),
    'key1180': (1180, 'vvvv'),
    'key1181': (1181, 'vvvvv'),
    'key1182': (1182, 'vvvvvv'),
    'key1183': (1183, ''),
    'key1184': (1184, 'v'),
    'key1185': (1185, 'vv'),
    'key1186': (1186, 'vvv'),
    'key1187': (1187, 'vvvv'),
    'key1188': (1188, 'vvvvv'),
    'key1189': (1189, 'vvvvvv'),
    'key1190': (1190, ''),
    'key1191': (1191, 'v'),
    'key1192': (1192, 'vv'),
    'key1193': (1193, 'vvv'),
    'key1194': (1194, 'vvvv'),
    'key1195': (1195, 'vvvvv'),
    'key1196': (1196, 'vvvvvv'),
    'key1197': (1197, ''),
    'key1198': (1198, 'v'),
    'key1199': (1199, 'vv'),
}
def chain(x):
    if x == 0:
        return 'r0'
    elif x == 1:
        return 'r1'
    elif x == 2:
        return 'r2'
    elif x == 3:
        return 'r3'
    elif x == 4:
        return 'r4'
    elif x == 5:
        return 'r5'
    elif x == 6:
        return 'r6'
    elif x == 7:
        return 'r7'
    elif x == 8:
        return 'r8'
    elif x == 9:
        return 'r9'
    elif x == 10:
        return 'r10'
    elif x == 11:
        return 'r11'
    elif x == 12:
        return 'r12'
    elif x == 13:
        return 'r13'
    elif x == 14:
        return 'r14'
    elif x == 15:
        return 'r15'
    elif x == 16:
        return 'r16'
    elif x == 17:
        return 'r17'
    elif x == 18:
        return 'r18'
    elif x == 19:
        return 'r19'
    elif x == 20:
        return 'r20'
    elif x == 21:
        return 'r21'
    elif x == 22:
        return 'r22'
    elif x == 23:
        return 'r23'
    elif x == 24:
        return 'r24'
    elif x == 25:
        return 'r25'
    elif x == 26:
        return 'r26'
    elif x == 27:
        return 'r27'
    elif x == 28:
        return 'r28'
    elif x == 29:
        return 'r29'
    elif x == 30:
        return 'r30'
    elif x == 31:
        return 'r31'
    elif x == 32:
        return 'r32'
    elif x == 33:
        return 'r33'
    elif x == 34:
        return 'r34'
    elif x == 35:
        return 'r35'
    elif x == 36:
        return 'r36'
    elif x == 37:
        return 'r37'
    elif x == 38:
        return 'r38'
    elif x == 39:
        return 'r39'
    elif x == 40:
        return 'r40'
    elif x == 41:
        return 'r41'
    elif x == 42:
        return 'r42'
    elif x == 43:
        return 'r43'
    elif x == 44:
        return 'r44'
    elif x == 45:
        return 'r45'
    elif x == 46:
        return 'r46'
    elif x == 47:
        return 'r47'
    elif x == 48:
        return 'r48'
    elif x == 49:
        return 'r49'
    elif x == 50:
        return 'r50'
    elif x == 51:
        return 'r51'
    elif x == 52:
        return 'r52'
    elif x == 53:
        return 'r53'
    elif x == 54:
        return 'r54'
    elif x == 55:
        return 'r55'
    elif x == 56:
        return 'r56'
    elif x == 57:
        return 'r57'
    elif x == 58:
        return 'r58'
    elif x == 59:
        return 'r59'
    elif x == 60:
        return 'r60'
    elif x == 61:
        return 'r61'
    elif x == 62:
        return 'r62'
    elif x == 63:
        return 'r63'
    elif x == 64:
        return 'r64'
    elif x == 65:
        return 'r65'
    elif x == 66:
        return 'r66'
    elif x == 67:
        return 'r67'
    elif x == 68:
        return 'r68'
    elif x == 69:
        return 'r69'
    elif x == 70:
        return 'r70'
    elif x == 71:
        return 'r71'
    elif x == 72:
        return 'r72'
    elif x == 73:
        return 'r73'
    elif x == 74:
        return 'r74'
    elif x == 75:
        return 'r75'
    elif x == 76:
        return 'r76'
    elif x == 77:
        return 'r77'
    elif x == 78:
        return 'r78'
    elif x == 79:
        return 'r79'
    elif x == 80:
        return 'r80'
    elif x == 81:
        return 'r81'
    elif x == 82:
        return 'r82'
    elif x == 83:
        return 'r83'
    elif x == 84:
        return 'r84'
    elif x == 85:
        return 'r85'
    elif x == 86:
        return 'r86'
    elif x == 87:
        return 'r87'
    elif x == 88:
        return 'r88'
    elif x == 89:
        return 'r89'
    elif x == 90:
        return 'r90'
    elif x == 91:
        return 'r91'
    elif x == 92:
        return 'r92'
    elif x == 93:
        return 'r93'
    elif x == 94:
        return 'r94'
    elif x == 95:
        return 'r95'
    elif x == 96:
        return 'r96'
    elif x == 97:
        return 'r97'
    elif x == 98:
        return 'r98'
    elif x == 99:
        return 'r99'
    elif x == 100:
        return 'r100'
    elif x == 101:
        return 'r101'
    elif x == 102:
        return 'r102'
    elif x == 103:
        return 'r103'
    elif x == 104:
        return 'r104'
    elif x == 105:
        return 'r105'
    elif x == 106:
        return 'r106'
    elif x == 107:
        return 'r107'
    elif x == 108:
        return 'r108'
    elif x == 109:
        return 'r109'
    elif x == 110:
        return 'r110'
    elif x == 111:
        return 'r111'
    elif x == 112:
        return 'r112'
    elif x == 113:
        return 'r113'
    elif x == 114:
        return 'r114'
    elif x == 115:
        return 'r115'
    elif x == 116:
        return 'r116'
    elif x == 117:
        return 'r117'
    elif x == 118:
        return 'r118'
    elif x == 119:
        return 'r119'
    elif x == 120:
        return 'r120'
    elif x == 121:
        return 'r121'
    elif x == 122:
        return 'r122'
    elif x == 123:
        return 'r123'
    elif x == 124:
        return 'r124'
    elif x == 125:
        return 'r125'
    elif x == 126:
        return 'r126'
    elif x == 127:
        return 'r127'
    elif x == 128:
        return 'r128'
    elif x == 129:
        return 'r129'
    elif x == 130:
        return 'r130'
    elif x == 131:
        return 'r131'
    elif x == 132:
        return 'r132'
    elif x == 133:
        return 'r133'
    elif x == 134:
        return 'r134'
    elif x == 135:
        return 'r135'
    elif x == 136:
        return 'r136'
    elif x == 137:
        return 'r137'
    elif x == 138:
        return 'r138'
    elif x == 139:
        return 'r139'
    elif x == 140:
        return 'r140'
    elif x == 141:
        return 'r141'
    elif x == 142:
        return 'r142'
    elif x == 143:
        return 'r143'
    elif x == 144:
        return 'r144'
    elif x == 145:
        return 'r145'
    elif x == 146:
        return 'r146'
    elif x == 147:
        return 'r147'
    elif x == 148:
        return 'r148'
    elif x == 149:
        return 'r149'
    elif x == 150:
        return 'r150'
    elif x == 151:
        return 'r151'
    elif x == 152:
        return 'r152'
    elif x == 153:
        return 'r153'
    elif x == 154:
        return 'r154'
    elif x == 155:
        return 'r155'
    elif x == 156:
        return 'r156'
    elif x == 157:
        return 'r157'
    elif x == 158:
        return 'r158'
    elif x == 159:
        return 'r159'
    elif x == 160:
        return 'r160'
    elif x == 161:
        return 'r161'
    elif x == 162:
        return 'r162'
    elif x == 163:
        return 'r163'
    elif x == 164:
        return 'r164'
    elif x == 165:
        return 'r165'
    elif x == 166:
        return 'r166'
    elif x == 167:
        return 'r167'
    elif x == 168:
        return 'r168'
    elif x == 169:
        return 'r169'
    elif x == 170:
        return 'r170'
    elif x == 171:
        return 'r171'
    elif x == 172:
        return 'r172'
    elif x == 173:
        return 'r173'
    elif x == 174:
        return 'r174'
    elif x == 175:
        return 'r175'
    elif x == 176:
        return 'r176'
    elif x == 177:
        return 'r177'
    elif x == 178:
        return 'r178'
    elif x == 179:
        return 'r179'
    elif x == 180:
        return 'r180'
    elif x == 181:
        return 'r181'
    elif x == 182:
        return 'r182'
    elif x == 183:
        return 'r183'
    elif x == 184:
        return 'r184'
    elif x == 185:
        return 'r185'
    elif x == 186:
        return 'r186'
    elif x == 187:
        return 'r187'
    elif x == 188:
        return 'r188'
    elif x == 189:
        return 'r189'
    elif x == 190:
        return 'r190'
    elif x == 191:
        return 'r191'
    elif x == 192:
        return 'r192'
    elif x == 193:
        return 'r193'
    elif x == 194:
        return 'r194'
    elif x == 195:
        return 'r195'
    elif x == 196:
        return 'r196'
    elif x == 197:
        return 'r197'
    elif x == 198:
        return 'r198'
    elif x == 199:
        return 'r199'
    elif x == 200:
        return 'r200'
    elif x == 201:
        return 'r201'
    elif x == 202:
        return 'r202'
    elif x == 203:
        return 'r203'
    elif x == 204:
        return 'r204'
    elif x == 205:
        return 'r205'
    elif x == 206:
        return 'r206'
    elif x == 207:
        return 'r207'
    elif x == 208:
        return 'r208'
    elif x == 209:
        return 'r209'
    elif x == 210:
        return 'r210'
    elif x == 211:
        return 'r211'
    elif x == 212:
        return 'r212'
    elif x == 213:
        return 'r213'
    elif x == 214:
        return 'r214'
    elif x == 215:
        return 'r215'
    elif x == 216:
        return 'r216'
    elif x == 217:
        return 'r217'
    elif x == 218:
        return 'r218'
    elif x == 219:
        return 'r219'
    elif x == 220:
        return 'r220'
    elif x == 221:
        return 'r221'
    elif x == 222:
        return 'r222'
    elif x == 223:
        return 'r223'
    elif x == 224:
        return 'r224'
    elif x == 225:
        return 'r225'
    elif x == 226:
        return 'r226'
    elif x == 227:
        return 'r227'
    elif x == 228:
        return 'r228'
    elif x == 229:
        return 'r229'
    elif x == 230:
        return 'r230'
    elif x == 231:
        return 'r231'
    elif x == 232:
        return 'r232'
    elif x == 233:
        return 'r233'
    elif x == 234:
        return 'r234'
    elif x == 235:
        return 'r235'
    elif x == 236:
        return 'r236'
    elif x == 237:
        return 'r237'
    elif x == 238:
        return 'r238'
    elif x == 239:
        return 'r239'
    elif x == 240:
        return 'r240'
    elif x == 241:
        return 'r241'
    elif x == 242:
        return 'r242'
    elif x == 243:
        return 'r243'
    elif x == 244:
        return 'r244'
    elif x == 245:
        return 'r245'
    elif x == 246:
        return 'r246'
    elif x == 247:
        return 'r247'
    elif x == 248:
        return 'r248'
    elif x == 249:
        return 'r249'
    elif x == 250:
        return 'r250'
    elif x == 251:
        return 'r251'
    elif x == 252:
        return 'r252'
    elif x == 253:
        return 'r253'
    elif x == 254:
        return 'r254'
    elif x == 255:
        return 'r255'
    elif x == 256:
        return 'r256'
    elif x == 257:
        return 'r257'
    elif x == 258:
        return 'r258'
    elif x == 259:
        return 'r259'
    elif x == 260:
        return 'r260'
    elif x == 261:
        return 'r261'
    elif x == 262:
        return 'r262'
    elif x == 263:
        return 'r263'
    elif x == 264:
        return 'r264'
    elif x == 265:
        return 'r265'
    elif x == 266:
        return 'r266'
    elif x == 267:
        return 'r267'
    elif x == 268:
        return 'r268'
    elif x == 269:
        return 'r269'
    elif x == 270:
        return 'r270'
    elif x == 271:
        return 'r271'
    elif x == 272:
        return 'r272'
    elif x == 273:
        return 'r273'
    elif x == 274:
        return 'r274'
    elif x == 275:
        return 'r275'
    elif x == 276:
        return 'r276'
    elif x == 277:
        return 'r277'
    elif x == 278:
        return 'r278'
    elif x == 279:
        return 'r279'
    elif x == 280:
        return 'r280'
    elif x == 281:
        return 'r281'
    elif x == 282:
        return 'r282'
    elif x == 283:
        return 'r283'
    elif x == 284:
        return 'r284'
    elif x == 285:
        return 'r285'
    elif x == 286:
        return 'r286'
    elif x == 287:
        return 'r287'
    elif x == 288:
        return 'r288'
    elif x == 289:
        return 'r289'
    elif x == 290:
        return 'r290'
    elif x == 291:
        return 'r291'
    elif x == 292:
        return 'r292'
    elif x == 293:
        return 'r293'
    elif x == 294:
        return 'r294'
    elif x == 295:
        return 'r295'
    elif x == 296:
        return 'r296'
    elif x == 297:
        return 'r297'
    elif x == 298:
        return 'r298'
    elif x == 299:
        return 'r299'
    else:
        return None
total = (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19 + 20 + 21 + 22 + 23 + 24 + 25 + 26 + 27 + 28 + 29 + 30 + 31 + 32 + 33 + 34 + 35 + 36 + 37 + 38 + 39 + 40 + 41 + 42 + 43 + 44 + 45 + 46 + 47 + 48 + 49 + 50 + 51 + 52 + 53 + 54 + 55 + 56 + 57 + 58 + 59 + 60 + 61 + 62 + 63 + 64 + 65 + 66 + 67 + 68 + 69 + 70 + 71 + 72 + 73 + 74 + 75 + 76 + 77 + 78 + 79 + 80 + 81 + 82 + 83 + 84 + 85 + 86 + 87 + 88 + 89 + 90 + 91 + 92 + 93 + 94 + 95 + 96 + 97 + 98 + 99 + 100 + 101 + 102 + 103 + 104 + 105 + 106 + 107 + 108 + 109 + 110 + 111 + 112 + 113 + 114 + 115 + 116 + 117 + 118 + 119 + 120 + 121 + 122 + 123 + 124 + 125 + 126 + 127 + 128 + 129 + 130 + 131 + 132 + 133 + 134 + 135 + 136 + 137 + 138 + 139 + 140 + 141 + 142 + 143 + 144 + 145 + 146 + 147 + 148 + 149 + 150 + 151 + 152 + 153 + 154 + 155 + 156 + 157 + 158 + 159 + 160 + 161 + 162 + 163 + 164 + 165 + 166 + 167 + 168 + 169 + 170 + 171 + 172 + 173 + 174 + 175 + 176 + 177 + 178 + 179 + 180 + 181 + 182 + 183 + 184 + 185 + 186 + 187 + 188 + 189 + 190 + 191 + 192 + 193 + 194 + 195 + 196 + 197 + 198 + 199 + 200 + 201 + 202 + 203 + 204 + 205 + 206 + 207 + 208 + 209 + 210 + 211 + 212 + 213 + 214 + 215 + 216 + 217 + 218 + 219 + 220 + 221 + 222 + 223 + 224 + 225 + 226 + 227 + 228 + 229 + 230 + 231 + 232 + 233 + 234 + 235 + 236 + 237 + 238 + 239 + 240 + 241 + 242 + 243 + 244 + 245 + 246 + 247 + 248 + 249 + 250 + 251 + 252 + 253 + 254 + 255 + 256 + 257 + 258 + 259 + 260 + 261 + 262 + 263 + 264 + 265 + 266 + 267 + 268 + 269 + 270 + 271 + 272 + 273 + 274 + 275 + 276 + 277 + 278 + 279 + 280 + 281 + 282 + 283 + 284 + 285 + 286 + 287 + 288 + 289 + 290 + 291 + 292 + 293 + 294 + 295 + 296 + 297 + 298 + 299 + 300 + 301 + 302 + 303 + 304 + 305 + 306 + 307 + 308 + 309 + 310 + 311 + 312 + 313 + 314 + 315 + 316 + 317 + 318 + 319 + 320 + 321 + 322 + 323 + 324 + 325 + 326 + 327 + 328 + 329 + 330 + 331 + 332 + 333 + 334 + 335 + 336 + 337 + 338 + 339 + 340 + 341 + 342 + 343 + 344 + 345 + 346 + 347 + 348 + 349 + 350 + 351 + 352 + 353 + 354 + 355 + 356 + 357 + 358 + 359 + 360 + 361 + 362 + 363 + 364 + 365 + 366 + 367 + 368 + 369 + 370 + 371 + 372 + 373 + 374 + 375 + 376 + 377 + 378 + 379 + 380 + 381 + 382 + 383 + 384 + 385 + 386 + 387 + 388 + 389 + 390 + 391 + 392 + 393 + 394 + 395 + 396 + 397 + 398 + 399)
text = ('0'
        '1'
        '2'
        '3'
        '4'
        '5'
        '6'
        '7'
        '8'
        '9'
        '10'
        '11'
        '12'
        '13'
        '14'
        '15'
        '16'
        '17'
        '18'
        '19'
        '20'
        '21'
        '22'
        '23'
        '24'
        '25'
        '26'
        '27'
        '28'
        '29'
        '30'
        '31'
        '32'
        '33'
        '34'
        '35'
        '36'
        '37'
        '38'
        '39'
        '40'
        '41'
        '42'
        '43'
        '44'
        '45'
        '46'
        '47'
        '48'
        '49'
        '50'
        '51'
        '52'
        '53'
        '54'
        '55'
        '56'
        '57'
        '58'
        '59'
        '60'
        '61'
        '62'
        '63'
        '64'
        '65'
        '66'
        '67'
        '68'
        '69'
        '70'
        '71'
        '72'
        '73'
        '74'
        '75'
        '76'
        '77'
        '78'
        '79'
        '80'
        '81'
        '82'
        '83'
        '84'
        '85'
        '86'
        '87'
        '88'
        '89'
        '90'
        '91'
        '92'
        '93'
        '94'
        '95'
        '96'
        '97'
        '98'
        '99'
        '100'
        '101'
        '102'
        '103'
        '104'
        '105'
        '106'
        '107'
        '108'
        '109'
        '110'
        '111'
        '112'
        '113'
        '114'
        '115'
        '116'
        '117'
        '118'
        '119'
        '120'
        '121'
        '122'
        '123'
        '124'
        '125'
        '126'
        '127'
        '128'
        '129'
        '130'
        '131'
        '132'
        '133'
        '134'
        '135'
        '136'
        '137'
        '138'
        '139'
        '140'
        '141'
        '142'
        '143'
        '144'
        '145'
        '146'
        '147'
        '148'
        '149'
        '150'
        '151'
        '152'
        '153'
        '154'
        '155'
        '156'
        '157'
        '158'
        '159'
        '160'
        '161'
        '162'
        '163'
        '164'
        '165'
        '166'
        '167'
        '168'
        '169'
        '170'
        '171'
        '172'
        '173'
        '174'
        '175'
        '176'
        '177'
        '178'
        '179'
        '180'
        '181'
        '182'
        '183'
        '184'
        '185'
        '186'
        '187'
        '188'
        '189'
        '190'
        '191'
        '192'
        '193'
        '194'
        '195'
        '196'
        '197'
        '198'
        '199'
        '200'
        '201'
        '202'
        '203'
        '204'
        '205'
        '206'
        '207'
        '208'
        '209'
        '210'
        '211'
        '212'
        '213'
        '214'
        '215'
        '216'
        '217'
        '218'
        '219'
        '220'
        '221'
        '222'
        '223'
        '224'
        '225'
        '226'
        '227'
        '228'
        '229'
        '230'
        '231'
        '232'
        '233'
        '234'
        '235'
        '236'
        '237'
        '238'
        '239'
        '240'
        '241'
        '242'
        '243'
        '244'
        '245'
        '246'
        '247'
        '248'
        '249'
        '250'
        '251'
        '252'
        '253'
        '254'
        '255'
        '256'
        '257'
        '258'
        '259'
        '260'
        '261'
        '262'
        '263'
        '264'
        '265'
        '266'
        '267'
        '268'
        '269'
        '270'
        '271'
        '272'
        '273'
        '274'
        '275'
        '276'
        '277'
        '278'
        '279'
        '280'
        '281'
        '282'
        '283'
        '284'
        '285'
        '286'
        '287'
        '288'
        '289'
        '290'
        '291'
        '292'
        '293'
        '294'
        '295'
        '296'
        '297'
        '298'
        '299')
flag = table.get('key0') is None or table.get('key1') is None or table.get('key2') is None or table.get('key3') is None or table.get('key4') is None or table.get('key5') is None or table.get('key6') is None or table.get('key7') is None or table.get('key8') is None or table.get('key9') is None or table.get('key10') is None or table.get('key11') is None or table.get('key12') is None or table.get('key13') is None or table.get('key14') is None or table.get('key15') is None or table.get('key16') is None or table.get('key17') is None or table.get('key18') is None or table.get('key19') is None or table.get('key20') is None or table.get('key21') is None or table.get('key22') is None or table.get('key23') is None or table.get('key24') is None or table.get('key25') is None or table.get('key26') is None or table.get('key27') is None or table.get('key28') is None or table.get('key29') is None or table.get('key30') is None or table.get('key31') is None or table.get('key32') is None or table.get('key33') is None or table.get('key34') is None or table.get('key35') is None or table.get('key36') is None or table.get('key37') is None or table.get('key38') is None or table.get('key39') is None or table.get('key40') is None or table.get('key41') is None or table.get('key42') is None or table.get('key43') is None or table.get('key44') is None or table.get('key45') is None or table.get('key46') is None or table.get('key47') is None or table.get('key48') is None or table.get('key49') is None or table.get('key50') is None or table.get('key51') is None or table.get('key52') is None or table.get('key53') is None or table.get('key54') is None or table.get('key55') is None or table.get('key56') is None or table.get('key57') is None or table.get('key58') is None or table.get('key59') is None or table.get('key60') is None or table.get('key61') is None or table.get('key62') is None or table.get('key63') is None or table.get('key64') is None or table.get('key65') is None or table.get('key66') is None or table.get('key67') is None or table.get('key68') is None or table.get('key69') is None or table.get('key70') is None or table.get('key71') is None or table.get('key72') is None or table.get('key73') is None or table.get('key74') is None or table.get('key75') is None or table.get('key76') is None or table.get('key77') is None or table.get('key78') is None or table.get('key79') is None or table.get('key80') is None or table.get('key81') is None or table.get('key82') is None or table.get('key83') is None or table.get('key84') is None or table.get('key85') is None or table.get('key86') is None or table.get('key87') is None or table.get('key88') is None or table.get('key89') is None or table.get('key90') is None or table.get('key91') is None or table.get('key92') is None or table.get('key93') is None or table.get('key94') is None or table.get('key95') is None or table.get('key96') is None or table.get('key97') is None or table.get('key98') is None or table.get('key99') is None or table.get('key100') is None or table.get('key101') is None or table.get('key102') is None or table.get('key103') is None or table.get('key104') is None or table.get('key105') is None or table.get('key106') is None or table.get('key107') is None or table.get('key108') is None or table.get('key109') is None or table.get('key110') is None or table.get('key111') is None or table.get('key112') is None or table.get('key113') is None or table.get('key114') is None or table.get('key115') is None or table.get('key116') is None or table.get('key117') is None or table.get('key118') is None or table.get('key119') is None or table.get('key120') is None or table.get('key121') is None or table.get('key122') is None or table.get('key123') is None or table.get('key124') is None or table.get('key125') is None or table.get('key126') is None or table.get('key127') is None or table.get('key128') is None or table.get('key129') is None or table.get('key130') is None or table.get('key131') is None or table.get('key132') is None or table.get('key133') is None or table.get('key134') is None or table.get('key135') is None or table.get('key136') is None or table.get('key137') is None or table.get('key138') is None or table.get('key139') is None or table.get('key140') is None or table.get('key141') is None or table.get('key142') is None or table.get('key143') is None or table.get('key144') is None or table.get('key145') is None or table.get('key146') is None or table.get('key147') is None or table.get('key148') is None or table.get('key149') is None or table.get('key150') is None or table.get('key151') is None or table.get('key152') is None or table.get('key153') is None or table.get('key154') is None or table.get('key155') is None or table.get('key156') is None or table.get('key157') is None or table.get('key158') is None or table.get('key159') is None or table.get('key160') is None or table.get('key161') is None or table.get('key162') is None or table.get('key163') is None or table.get('key164') is None or table.get('key165') is None or table.get('key166') is None or table.get('key167') is None or table.get('key168') is None or table.get('key169') is None or table.get('key170') is None or table.get('key171') is None or table.get('key172') is None or table.get('key173') is None or table.get('key174') is None or table.get('key175') is None or table.get('key176') is None or table.get('key177') is None or table.get('key178') is None or table.get('key179') is None or table.get('key180') is None or table.get('key181') is None or table.get('key182') is None or table.get('key183') is None or table.get('key184') is None or table.get('key185') is None or table.get('key186') is None or table.get('key187') is None or table.get('key188') is None or table.get('key189') is None or table.get('key190') is None or table.get('key191') is None or table.get('key192') is None or table.get('key193') is None or table.get('key194') is None or table.get('key195') is None or table.get('key196') is None or table.get('key197') is None or table.get('key198') is None or table.get('key199') is None
def deep(x):
    if x > 0:
        if x > 1:
            if x > 2:
                if x > 3:
                    if x > 4:
                        if x > 5:
                            if x > 6:
                                if x > 7:
                                    if x > 8:
                                        if x > 9:
                                            if x > 10:
                                                if x > 11:
                                                    if x > 12:
                                                        if x > 13:
                                                            if x > 14:
                                                                return "deepest"
                                                            else:
                                                                return 14
                                                        else:
                                                            return 13
                                                    else:
                                                        return 12
                                                else:
                                                    return 11
                                            else:
                                                return 10
                                        else:
                                            return 9
                                    else:
                                        return 8
                                else:
                                    return 7
                            else:
                                return 6
                        else:
                            return 5
                    else:
                        return 4
                else:
                    return 3
            else:
                return 2
        else:
            return 1
    else:
        return 0
print(len(table), table["key77"], chain(0), chain(299), chain(300), total, len(text), flag, deep(3), deep(99))
