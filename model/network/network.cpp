// not yet
