/** What the role of this session may not do. The service decides; the dashboard does not offer what it would refuse. */
import type { Route } from './endpoints.ts'
import { useObservable } from './observable.ts'
import { session } from './session.ts'

/** Why the session may not use the route, in words; undefined if it may. */
export function refusalOf(route: Route | undefined, current = session.value): string | undefined {
  if (!route || !current?.refused?.includes(route.replace(' ', ' /api/v1'))) return undefined
  return `Your role, ${current.role}, may not ${route.startsWith('GET') ? 'see' : 'change'} this; ask an admin.`
}

/** The same for drawing, which follows the session: `const refusal = useRefusal()`, then `refusal('PUT /settings')`. */
export function useRefusal(): (route: Route | undefined) => string | undefined {
  const current = useObservable(session)
  return (route) => refusalOf(route, current.value)
}
