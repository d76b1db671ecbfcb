# measure
