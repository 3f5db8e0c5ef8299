module muster.example/scheduler

go 1.19

require muster.example/muster v0.1.0

replace muster.example/muster => ../../go
