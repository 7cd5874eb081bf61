/** Imports the steps of wallet operations, so that their probes are registered. */
import '../operations/follow-operation.ts'
