/** Test support for authors of commands: import it as `#cli/testing`. */
export { createOutput } from '../terminal/output.ts'
export { type CommandWords, runCommand } from './run-command.ts'
