// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// What adopting the library costs a scheduler in Go. The loop resembles Volcano's: informers fill a
// cache, and each cycle opens a session on it and runs its actions. It runs once with an allocate
// action of its own, and once with the library's in its place.
//
//	go run -tags muster_shared ./adopt               the same few pods under both
//	go run -tags muster_shared ./adopt -nodes 1000   measures a cycle of ten pods a node
//
// cache.go is the scheduler, allocate.go its original action, library.go all that is written to
// adopt.
package main

import (
	"flag"
	"fmt"
	"log"
	"time"

	"muster.example/muster"
)

// gang is a group of equal pods that start together.
type gang struct {
	name      string
	size, cpu int64
}

// fill adds to the cache what informers would have listed.
func fill(cache *Cache, cpus []int64, gangs []gang) {
	for i, cpu := range cpus {
		cache.SetNode(muster.Node{Name: fmt.Sprintf("n%d", i),
			Allocatable: muster.Resources{MilliCPU: cpu, Memory: cpu / 1000 * 4 << 30}})
	}
	for _, g := range gangs {
		cache.SetGroup(muster.PodGroup{Namespace: "default", Name: g.name, MinMember: g.size})
		for i := int64(0); i < g.size; i++ {
			cache.SetPod(muster.Pod{Namespace: "default", Name: fmt.Sprintf("%s-%d", g.name, i), Group: g.name,
				Request: muster.Resources{MilliCPU: g.cpu}})
		}
	}
}

func small(title string, cache *Cache, action Action) error {
	fmt.Println(title)
	fill(cache, []int64{8000, 8000, 4000}, []gang{{"train", 4, 4000}, {"huge", 3, 6000}})
	cache.Bound = func(pod, node string) { fmt.Printf("  start %s on %s\n", pod, node) }
	return Cycle(cache, action)
}

// large is one cycle that fills a cluster, and another when a hundredth as much has come.
func large(title string, nodes int, cache *Cache, action Action) error {
	var gangs []gang
	for i := 0; i < nodes/2; i++ {
		gangs = append(gangs, gang{fmt.Sprintf("j%d", i), 20, int64(500 * (1 + i%8))})
	}
	cpus := make([]int64, nodes)
	for i := range cpus {
		cpus[i] = 64000
	}
	bound := 0
	cache.Bound = func(string, string) { bound++ }
	for round, count := range []int{len(gangs), len(gangs) / 100} {
		for i := range gangs[:count] {
			gangs[i].name = fmt.Sprintf("round%d-%d", round, i)
		}
		fill(cache, cpus[:nodes*(1-round)], gangs[:count])
		begin := time.Now()
		if err := Cycle(cache, action); err != nil {
			return err
		}
		took := time.Since(begin)
		if l, is := action.(*library); is {
			fmt.Printf("  %s: %d bound in %v, of which events %v and the plan %v\n", title, bound, ms(took), ms(l.heard), ms(l.decided))
		} else {
			fmt.Printf("  %s: %d bound in %v\n", title, bound, ms(took))
		}
		bound = 0
	}
	return nil
}

func ms(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

func run(nodes int) error {
	if err := small("allocate of its own", NewCache(), allocate{}); err != nil {
		return err
	}
	l, err := newLibrary("volcano")
	if err != nil {
		return err
	}
	if err := small("allocate by the library", NewCache(l), l); err != nil {
		return err
	}
	why, err := l.plan.Explain("default/huge")
	if err != nil {
		return err
	}
	fmt.Printf("  %s", why)
	if nodes == 0 {
		return nil
	}
	fmt.Printf("%d nodes, %d pods\n", nodes, 10*nodes)
	if err := large("its own", nodes, NewCache(), allocate{}); err != nil {
		return err
	}
	if l, err = newLibrary("volcano"); err != nil {
		return err
	}
	return large("the library", nodes, NewCache(l), l)
}

func main() {
	nodes := flag.Int("nodes", 0, "measure a cycle of so many nodes, too")
	flag.Parse()
	if err := run(*nodes); err != nil {
		log.Fatal(err)
	}
}
