module muster.example/muster

go 1.19
