package workspace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"mirage/accounts"
	"mirage/state"
)

// What is kept of finished jobs, by workspace.
const (
	keepJobs = 512
	keepFor  = 24 * time.Hour
	// maxCommand is how much of a line stays in the record of a settled job.
	maxCommand = 64 << 10
)

// errRestarted is what became of jobs that ran when the server ended.
const errRestarted = "server restarted"

// jobIndex knows which jobs there are: the live ones themselves, of the
// finished ones what is needed to find and forget them.
type jobIndex struct {
	store state.Store
	now   func() time.Time

	mu   sync.Mutex
	live map[string]*Job
	kept map[string][]keptJob // by workspace, in order of finishing
	home map[string]string    // workspace of a kept job
}

type keptJob struct {
	id       string
	finished time.Time
}

// openJobs reads the kept jobs. Those that the last process left unfinished
// are failed now.
func openJobs(ctx context.Context, store state.Store, now func() time.Time) (*jobIndex, error) {
	x := &jobIndex{store: store, now: now, live: map[string]*Job{}, kept: map[string][]keptJob{}, home: map[string]string{}}
	err := store.Update(ctx, state.Synced, func(tx state.Tx) error {
		var failed error
		err := tx.Scan(state.Jobs, "", func(id string, value []byte) bool {
			var sj storedJob
			if failed = json.Unmarshal(value, &sj); failed != nil {
				return false
			}
			if sj.Finished.IsZero() {
				sj.Status, sj.Error, sj.Finished = Failing, errRestarted, now()
				sj.Revision++
				if failed = putJSON(tx, state.Jobs, id, sj); failed != nil {
					return false
				}
			}
			x.kept[sj.Workspace] = append(x.kept[sj.Workspace], keptJob{id, sj.Finished})
			x.home[id] = sj.Workspace
			return true
		})
		return errors.Join(err, failed)
	})
	if err != nil {
		return nil, err
	}
	for _, jobs := range x.kept {
		slices.SortFunc(jobs, func(a, b keptJob) int {
			return cmp.Or(a.finished.Compare(b.finished), cmp.Compare(a.id, b.id))
		})
	}
	return x, nil
}

// begin makes a job known.
func (x *jobIndex) begin(j *Job) {
	x.mu.Lock()
	x.live[j.id] = j
	x.mu.Unlock()
}

// finish adds a job to the kept ones and answers which ones to delete. It
// stays live until settled.
func (x *jobIndex) finish(j *Job, rec JobRecord) (evicted []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if j.s.w.deleted.Load() {
		return nil
	}
	ws := rec.Workspace
	x.home[rec.ID] = ws
	jobs := append(x.kept[ws], keptJob{rec.ID, rec.Finished})
	for len(jobs) > keepJobs || rec.Finished.Sub(jobs[0].finished) > keepFor {
		evicted = append(evicted, jobs[0].id)
		delete(x.home, jobs[0].id)
		jobs = jobs[1:]
	}
	x.kept[ws] = jobs
	return evicted
}

// settled forgets the live job: what is known of it is in the store now.
func (x *jobIndex) settled(id string) {
	x.mu.Lock()
	delete(x.live, id)
	x.mu.Unlock()
}

// of answers the kept jobs of a workspace.
func (x *jobIndex) of(workspace string) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	ids := make([]string, len(x.kept[workspace]))
	for i, k := range x.kept[workspace] {
		ids[i] = k.id
	}
	return ids
}

// forget drops the kept jobs of a deleted workspace.
func (x *jobIndex) forget(workspace string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, k := range x.kept[workspace] {
		delete(x.home, k.id)
	}
	delete(x.kept, workspace)
}

func (x *jobIndex) inFlight(workspace string) int {
	var jobs []*Job
	x.mu.Lock()
	for _, j := range x.live {
		if j.s.w.id == workspace {
			jobs = append(jobs, j)
		}
	}
	x.mu.Unlock()
	n := 0
	for _, j := range jobs {
		if j.Record().Finished.IsZero() { // a settled one is here a moment longer
			n++
		}
	}
	return n
}

// Jobs lists the jobs of the workspaces that the caller may see, in order of
// submission; workspaceID narrows it when not empty. Results come without
// their output.
func (m *Manager) Jobs(ctx context.Context, c accounts.Caller, workspaceID string) ([]JobRecord, error) {
	oldest := m.now().Add(-keepFor)
	var list []JobRecord
	m.jobs.mu.Lock()
	var liveJobs []*Job
	isLive := map[string]bool{}
	kept := map[string][]keptJob{}
	for _, j := range m.jobs.live {
		if ws := j.s.w.id; workspaceID == "" || ws == workspaceID {
			liveJobs = append(liveJobs, j)
			isLive[j.id] = true
		}
	}
	for ws, jobs := range m.jobs.kept {
		if workspaceID == "" || ws == workspaceID {
			kept[ws] = slices.Clone(jobs)
		}
	}
	m.jobs.mu.Unlock()
	for _, j := range liveJobs {
		if c.Sees(j.s.w.owner) {
			list = append(list, brief(j.Record()))
		}
	}
	err := m.store.View(ctx, func(tx state.Tx) error {
		for ws, jobs := range kept {
			var owner ownerRecord
			if _, err := getJSON(tx, state.Owners, ws, &owner); err != nil {
				return err
			}
			if !c.Sees(owner.Account) {
				continue
			}
			for _, k := range jobs {
				if k.finished.Before(oldest) || isLive[k.id] {
					continue
				}
				var sj storedJob
				ok, err := getJSON(tx, state.Jobs, k.id, &sj)
				if err != nil {
					return err
				}
				if ok {
					list = append(list, sj.record(k.id))
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, storeFailed(err)
	}
	slices.SortFunc(list, func(a, b JobRecord) int {
		return cmp.Or(a.Submitted.Compare(b.Submitted), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// brief is a record without output.
func brief(r JobRecord) JobRecord {
	if r.Result != nil {
		res := *r.Result
		res.Stdout, res.Stderr = nil, nil
		r.Result = &res
	}
	return r
}

// Job answers a running or kept job.
func (m *Manager) Job(ctx context.Context, c accounts.Caller, id string) (*Job, error) {
	m.jobs.mu.Lock()
	j, ws := m.jobs.live[id], m.jobs.home[id]
	m.jobs.mu.Unlock()
	if j != nil {
		if !c.Sees(j.s.w.owner) {
			return nil, jobNotFound()
		}
		return j, nil
	}
	if ws == "" {
		return nil, jobNotFound()
	}
	err := m.store.View(ctx, func(tx state.Tx) error {
		var owner ownerRecord
		if _, err := getJSON(tx, state.Owners, ws, &owner); err != nil || !c.Sees(owner.Account) {
			return err
		}
		var err error
		j, err = readJob(tx, id)
		return err
	})
	if err != nil {
		return nil, storeFailed(err)
	}
	if j == nil || j.rec.Finished.Before(m.now().Add(-keepFor)) {
		return nil, jobNotFound()
	}
	return j, nil
}
