import type { Endpoint, EndpointAnswer, EndpointRequest } from '../../../kernel/system.ts'

type Below<P> = P extends `/api/v1${infer Rest}` ? Rest : P extends string ? P : never
type NameOf<T> = T extends Endpoint ? `${T['method']} ${Below<T['path']>}` : never
type Named<E, N> = E extends Endpoint ? (NameOf<E> extends N ? E : never) : never
type Values<M> = M[keyof M]

/** The endpoints that a module of contracts exports: `EndpointsOf<typeof import('../tasks-api.ts')>`. */
export type EndpointsOf<M> = { [N in NameOf<Values<M>>]: Named<Values<M>, N> }

type KernelContracts = typeof import('../../../kernel/auth/auth-api.ts') & typeof import('../../../kernel/admin-listener/health-route.ts')

/** `GET /buckets/:name` → the contract of its route. Every plugin adds its own endpoints in `ui/endpoints.ts`. */
export interface Endpoints extends EndpointsOf<KernelContracts> {}

export type Route = keyof Endpoints & string
type Contract<R extends Route> = Extract<Endpoints[R], Endpoint>
export type Answer<R extends Route> = EndpointAnswer<Contract<R>>
/** What the route takes: `params`, `query` and `body`. */
export type Input<R extends Route> = EndpointRequest<Contract<R>>
