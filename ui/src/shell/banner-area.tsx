import { component$ } from '@builder.io/qwik'
import { isOutdated } from '../data/build.ts'
import { isReachable } from '../data/call.ts'
import { useObservable } from '../data/observable.ts'
import { Banner } from '../kit/alert.tsx'
import { Button } from '../kit/button.tsx'
import { Boundary } from './boundary.tsx'
import { useParts } from './parts.ts'

/** Notices above every page: of the connection, and of plugins. */
export const BannerArea = component$<{ isSetup: boolean }>(({ isSetup }) => {
  const reachable = useObservable(isReachable)
  const outdated = useObservable(isOutdated)
  const banners = useParts('banners')
  return (
    <>
      {!reachable.value && (
        <Banner tone="danger" title="The service does not answer">
          This page tries again by itself. What you typed is kept.
        </Banner>
      )}
      {outdated.value && (
        <Banner tone="info" title="The dashboard has a new version">
          Reload the page to use it. What you typed and did not save is lost then.
          <Button q:slot="actions" size="sm" icon="refresh-cw" onClick$={() => location.reload()}>
            Reload the page
          </Button>
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
