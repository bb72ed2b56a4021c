package world

import "reflect"

// cloned is a part of a world that shares nothing with the other that can be changed. What is
// no data, a Source say, is shared.
func cloned[T any](part T) T {
	detach(reflect.ValueOf(&part).Elem())
	return part
}

// detach puts copies in the place of all that a value refers to.
func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			detach(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(v.Elem())
			detach(to.Elem())
			v.Set(to)
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range reflect.Copy(list, v) {
			detach(list.Index(i))
		}
		v.Set(list)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		made := reflect.MakeMapWithSize(v.Type(), v.Len())
		for key, value := range v.Seq2() {
			made.SetMapIndex(key, detached(value))
		}
		v.Set(made)
	case reflect.Interface:
		if !v.IsNil() && v.NumMethod() == 0 {
			v.Set(detached(v.Elem()))
		}
	}
}

// detached is a copy of a value that cannot be set.
func detached(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	detach(to)
	return to
}
