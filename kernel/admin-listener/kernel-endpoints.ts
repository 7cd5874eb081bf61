import type { Endpoint } from '../http/endpoint.ts'
import type { RouteAccess } from '../http/route-access.ts'

/** Endpoints with the same access, for the API documentation. */
export interface EndpointGroup {
  readonly access: RouteAccess
  readonly endpoints?: readonly Endpoint[]
}

/** The endpoints that the kernel itself serves, for the API documentation. */
export async function loadKernelEndpoints(): Promise<readonly EndpointGroup[]> {
  const { listMethods, login, sessionEndpoints } = await import('../auth/auth-api.ts')
  const { showHealth } = await import('./health-route.ts')
  return [
    { access: 'open', endpoints: [showHealth, listMethods, login] },
    { access: 'session', endpoints: sessionEndpoints },
  ]
}
