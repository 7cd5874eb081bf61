import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../shown/pack-api.ts') & typeof import('../stored/stored-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
