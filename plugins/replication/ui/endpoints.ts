import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../confirmations/confirmation-api.ts') & typeof import('../shortfall/shortfall-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
