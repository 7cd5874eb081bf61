import { defineService } from './service.ts'

/** Exit code with which the process asks its supervisor for another start. */
export const restartExitCode = 75

interface Restart {
  /** Whether a supervisor starts the process again. */
  readonly isSupervised: boolean
  /** Begins the orderly stop of the process. A repeat changes nothing. */
  request(): void
}

export const restart = defineService<Restart>('kernel.restart')
