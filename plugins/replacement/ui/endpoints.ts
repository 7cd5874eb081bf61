import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../api/replacement-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
