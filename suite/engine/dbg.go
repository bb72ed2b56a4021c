package engine
import ("fmt";"os")
func (r *Run) dbgRound(j *Judgement){ if os.Getenv("DBG")!=j.Requirement.ID {return}
fmt.Println("J", j.Requirement.ID, j.Combination, j.Outcome, j.Frames, j.Actual, "left", r.left(j,0), "mis", r.misdelivered(j, r.takes[j.Combination]), "showing", r.showing(j), "need", r.need(j), "blamed", r.blamed(j), "erratic", r.erratic(j.Combination), "died", r.diedAgain(j))
 for n := range r.rounds { s, why := r.told(j,n); var o any; if s!=nil {o=s.Outcome}; t:=r.rounds[n][j.Combination]; if t!=nil {fmt.Println("  round", n, o, why, t.Took, t.Unfinished); if b := r.blamed(j); len(b)>0 {fmt.Println("    again", r.failAgain(b, t))} }}
}
