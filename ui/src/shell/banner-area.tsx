import { component$ } from '@builder.io/qwik'
import { isReachable } from '../data/call.ts'
import { useObservable } from '../data/observable.ts'
import { Banner } from '../kit/index.ts'
import { Boundary } from './boundary.tsx'
import { useParts } from './parts.ts'

/** Notices above every page: of the connection, and of plugins. */
export const BannerArea = component$<{ isSetup: boolean }>(({ isSetup }) => {
  const reachable = useObservable(isReachable)
  const banners = useParts('banners')
  return (
    <>
      {!reachable.value && (
        <Banner tone="danger" title="The service does not answer">
          This page tries again by itself. What you typed is kept.
        </Banner>
      )}
      {!isSetup &&
        banners.value.map(({ id, component: Notice }) => (
          <Boundary key={id} what="notice">
            <Notice />
          </Boundary>
        ))}
    </>
  )
})
