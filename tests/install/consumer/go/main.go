// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.

// A program of another module, with Go and a C compiler only.
package main

import (
	"fmt"
	"log"

	"muster.example/muster"
)

func main() {
	cluster, err := muster.NewCluster()
	if err != nil {
		log.Fatal(err)
	}
	nodes, err := muster.NodeTable([]muster.Node{{Name: "n", Allocatable: muster.Resources{MilliCPU: 4000}}})
	if err != nil || cluster.Add(nodes) != nil {
		log.Fatal(err)
	}
	if _, err := cluster.Schedule("volcanoo"); err != nil {
		fmt.Println(err)
	}
}
