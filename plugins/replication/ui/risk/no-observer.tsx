import { Card, Empty, LinkButton } from '@svc/ui-kit'

/** Says how to have the data sets observed, in place of states that nothing observes. */
export const NoObserver = () => (
  <Card>
    <Empty
      icon="eye-off"
      title="Nothing observes the data sets"
      text="The plugin observability checks every data set and provider each chain.observability.interval, and is disabled. Remove it from plugins.disabled in the settings, and restart the service: the health of each bucket appears here after the first round."
    >
      <LinkButton href="/settings" variant="primary">
        Open the settings
      </LinkButton>
    </Empty>
  </Card>
)
