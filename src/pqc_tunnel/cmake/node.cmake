# node
