import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Card, call, ErrorAlert, Field, invalidate, TextInput, toast, useAction$, useRefusal } from '@svc/ui-kit'
import { type Pair, readPairs, writePairs } from './pairs-policy.ts'

const route = 'PUT /buckets/:name/s3-settings/tags'

/** Tags of the bucket, as lines of text. */
export const TagsCard = component$<{ bucket: string; tags: readonly Pair[] }>(({ bucket, tags }) => {
  const text = useSignal(writePairs(tags))
  const refused = useRefusal()(route)
  const save = useAction$(() => call(route, { params: { name: bucket }, body: { tags: [...readPairs(text.value)] } }))
  const submit = $(async () => {
    if (!(await save.run())) return
    invalidate(['GET /buckets/:name/s3-settings'])
    toast({ title: 'Tags saved' })
  })
  return (
    <Card title="Tags">
      <form preventdefault:submit onSubmit$={submit} class="flex flex-col gap-3">
        <Field
          label="Tags of the bucket"
          lockedReason={refused}
          help="Names and values, such as: project=films, cost-centre=42. An equals sign in a name is written %3D. An empty field deletes all."
        >
          <TextInput value={text} name="tags" mono />
        </Field>
        <ErrorAlert error={save.error} />
        <div>
          <Button type="submit" size="sm" icon="save" changes={route} pending={save.isPending}>
            Save tags
          </Button>
        </div>
      </form>
    </Card>
  )
})
