/** The door of `@svc/ui-kit`: everything that pages of plugins may import. */
export * from './charts/index.ts'
export { ApiError, type FieldError } from './data/api-error.ts'
export { apiPath } from './data/api-path.ts'
export { invalidate, patchQueries } from './data/cache.ts'
export { type CallOptions, call } from './data/call.ts'
export type { Answer, Endpoints, EndpointsOf, Input, Route } from './data/endpoints.ts'
export { Observable, useObservable } from './data/observable.ts'
export { newRequestId } from './data/request-id.ts'
export { type SendOptions, sendFile } from './data/send-file.ts'
export { onSignOut } from './data/session.ts'
export { type Action, useAction$, useActionQrl } from './data/use-action.ts'
export { useEvent$, useEventQrl } from './data/use-event.ts'
export { type Query, type QueryOptions, useQuery } from './data/use-query.ts'
export * from './kit/index.ts'
export {
  type BucketTab,
  definePluginUi,
  type NavEntry,
  type NavGroup,
  type OverviewCard,
  type PageBanner,
  type PageEntry,
  type PaletteCommand,
  type PluginUi,
  type ProviderAction,
} from './plugin-ui.ts'
export { Link } from './router/link.tsx'
export { type GoOptions, go, guardLeaving, setSearch } from './router/location.ts'
export { hrefOf } from './router/match.ts'
export { useAddress, useParam, useSearchParam } from './router/use-route.ts'
export { Boundary } from './shell/boundary.tsx'
export { type Part, useParts } from './shell/parts.ts'
export { type Toast, toast } from './shell/toasts.ts'
export { addTransfer, type Transfer, type TransferControls, type TransferOrder, transfers } from './shell/transfers.ts'
export { useIsEnabled, useUsername } from './shell/session/use-session.ts'
