package uri

var LeakedPaths = leakedPaths
