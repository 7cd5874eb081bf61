import { component$ } from '@builder.io/qwik'
import { Card, Empty, hrefOf, LinkButton } from '@svc/ui-kit'

/** Shown when the data set gets no uploads, or is the target of a replacement that is not finished. */
export const NotReplaceable = component$<{ bucket: string; message?: string | undefined }>(({ bucket, message }) => (
  <Card>
    <Empty
      icon="replace"
      title="This data set cannot be replaced"
      text={message ?? 'It gets no uploads any more, or a replacement that is not finished moves its replica.'}
    >
      <LinkButton href={hrefOf('/buckets/:name', { name: bucket }, { tab: 'replacements' })}>Show the replicas of the bucket</LinkButton>
    </Empty>
  </Card>
))
