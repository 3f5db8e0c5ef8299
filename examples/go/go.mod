module muster.example/scheduler

go 1.19

require muster.example/muster v0.2.0

replace muster.example/muster => ../../go
