import { configState } from '../config/config-state.ts'
import { defineDoctorCheck, type Finding } from './check.ts'
import { places } from './service.ts'

export const configurationCheck = defineDoctorCheck({
  name: 'kernel.configuration',
  title: 'The configuration file and the environment: readable and valid',
  proves: [],
  cost: 'quick',
  uses: { configState, places },
  async look({ configState, places: { configPath } }) {
    const findings = problemsNow(configState).map(
      ({ field, message }): Finding => ({
        severity: 'error',
        subject: { kind: 'setting', id: field },
        message,
        repair: `Correct it in ${configPath} or the environment; svc config validate shows where it comes from`,
      }),
    )
    return { findings, compared: 1 }
  },
})

/** Reads the file as the next start would. */
function problemsNow(state: { reload(): { readonly problems: readonly { readonly field: string; readonly message: string }[] } }) {
  try {
    return state.reload().problems
  } catch (error) {
    return [{ field: 'configuration file', message: (error as Error).message }]
  }
}
