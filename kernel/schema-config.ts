import { configure } from 'arktype/config'

// Compiling a schema takes as long as checking thousands of values, and most schemas of a process check few.
configure({ jitless: true })
