value = len('four')
