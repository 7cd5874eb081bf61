import type { EndpointsOf } from '@svc/ui-kit'

type Contracts = typeof import('../users/user-api.ts') &
  typeof import('../administration/bucket-setting-api.ts') &
  typeof import('../administration/share-api.ts') &
  typeof import('../administration/upload-api.ts')

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<Contracts> {}
}
