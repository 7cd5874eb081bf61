import { Badge } from '@svc/ui-kit'

/** Where the bytes can be read from. */
export const LocationBadges = ({ location }: { location: { readonly cache: boolean; readonly chain: boolean } }) => (
  <span class="inline-flex gap-1.5">
    {location.cache && (
      <Badge icon="hard-drive" title="In the local cache">
        Cache
      </Badge>
    )}
    {location.chain && (
      <Badge icon="cloud" title="At providers">
        Remote
      </Badge>
    )}
    {!location.cache && !location.chain && (
      <Badge tone="danger" icon="cloud-off">
        Nowhere
      </Badge>
    )}
  </span>
)
