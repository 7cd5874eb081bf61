import type { EndpointsOf } from '@svc/ui-kit'

declare module '@svc/ui-kit' {
  interface Endpoints extends EndpointsOf<typeof import('../api.ts')> {}
}
