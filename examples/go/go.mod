module muster.example/scheduler

go 1.19
