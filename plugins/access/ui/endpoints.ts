import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../sessions/session-api.ts') &
  typeof import('../audit/audit-api.ts') &
  typeof import('../second-factor/second-factor-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
