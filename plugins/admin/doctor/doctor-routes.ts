import { defineRoutes, serveEndpoint } from '#kernel'
import { doctor } from '#kernel/system'
import { applyFix, listChecks, runCheck } from './doctor-api.ts'

export const doctorRoutes = defineRoutes({
  name: 'doctor',
  uses: { doctor },
  endpoints: [listChecks, runCheck, applyFix],
  register(app, { doctor }) {
    serveEndpoint(app, listChecks, async () => doctor.checks().map(({ proves, ...check }) => ({ ...check, proves: [...proves] })))
    serveEndpoint(app, runCheck, async ({ params, body }) => {
      const { findings, compared, next, isCut } = await doctor.look(params.name, body)
      return { findings: [...findings], compared, ...(next !== undefined && { next }), ...(isCut && { is_cut: true }) }
    })
    serveEndpoint(app, applyFix, async ({ params, body }) => ({ changed: await doctor.fix(params.name, body.target) }))
  },
})
