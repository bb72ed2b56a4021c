package areatest

// Failure is an error with a code.
func Failure(code string) string { return `{"code":` + code + `,"message":"no"}` }
