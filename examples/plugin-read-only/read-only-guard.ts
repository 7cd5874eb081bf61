import { defineErrors } from 'svc/kernel'
import { defineRouteGuard } from 'svc/kernel/system'
import { readOnlySection } from './settings.ts'

const readOnlyErrors = defineErrors({
  read_only: { status: 403, message: 'This service is read-only; disable the plugin read-only to change something.' },
})

const reads = ['GET', 'HEAD', 'OPTIONS']

/** Refuses changes on the routes for operators. Signing in and out, which other routes do, stays possible. */
export const readOnlyGuard = defineRouteGuard({
  name: 'read-only',
  uses: { settings: readOnlySection.settings },
  check({ access, method, route }, { settings }) {
    if (access !== 'operator' || reads.includes(method) || settings.except.includes(`${method} ${route}`)) return
    throw readOnlyErrors.read_only()
  },
})
