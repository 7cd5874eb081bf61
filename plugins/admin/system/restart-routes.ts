import { defineRoutes, log, serveEndpoint } from '#kernel'
import { type ConfigState, configState, formatPreciseTime, limits, restart, type SystemState, systemState } from '#kernel/system'
import { adminErrors } from '../errors.ts'
import { requestRestart } from './restart-api.ts'

/** Served also in setup mode, whose end is a restart. */
export const restartRoutes = defineRoutes({
  name: 'restart',
  modes: ['setup', 'full'],
  uses: { configState, systemState, restart, log },
  endpoints: [requestRestart],
  register(app, { configState, systemState, restart, log }) {
    serveEndpoint(app, requestRestart, async () => {
      if (!restart.isSupervised) throw adminErrors.restart_unsupervised()
      requireStart(configState, systemState)
      log.info('a restart was requested through the Admin API')
      // The stop waits for this answer.
      restart.request()
      return { started_at: formatPreciseTime(systemState.startedAtMs), stop_seconds: limits.stopMs / 1000 }
    })
  },
})

/** Refuses a restart after which less would run. Setup mode may come again: nothing runs in it. */
function requireStart(config: Pick<ConfigState, 'reload'>, { mode }: Pick<SystemState, 'mode'>): void {
  const wrong = config.reload().problems.filter(({ blocks }) => mode === 'full' || blocks === 'start')
  if (wrong.length === 0) return
  const fields = wrong.slice(0, limits.listedProblemsMax).map(({ field, message }) => ({ field, message }))
  const list = fields.map(({ field, message }) => `${field} ${message}`).join('; ')
  throw adminErrors.restart_would_fail({ message: `The service would not start with the saved settings: ${list}`, fields })
}
