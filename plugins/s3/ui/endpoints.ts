import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../users/user-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
