_eh_rtn = self.force_list is True
