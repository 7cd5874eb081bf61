import { $, component$, useSignal } from '@builder.io/qwik'
import { type Answer, Button, Card, call, ErrorAlert, Field, invalidate, TextInput, toast, useAction$, useRefusal } from '@svc/ui-kit'

type Rule = Answer<'GET /buckets/:name/s3-settings'>['cors_rules'][number]

const route = 'PUT /buckets/:name/s3-settings/cors'
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part !== '')

/** Web pages of other origins that may use the bucket. */
export const CorsCard = component$<{ bucket: string; rules: readonly Rule[] }>(({ bucket, rules }) => {
  const origins = useSignal('')
  const allowed = useSignal('GET, HEAD')
  const refused = useRefusal()(route)
  const save = useAction$((next: readonly Rule[]) => call(route, { params: { name: bucket }, body: { rules: [...next] } }))
  const write = $(async (next: readonly Rule[]) => {
    if (!(await save.run(next))) return
    invalidate(['GET /buckets/:name/s3-settings'])
    toast({ title: 'CORS rules saved' })
  })
  const add = $(() =>
    write([
      ...rules,
      { allowed_origins: listOf(origins.value), allowed_methods: listOf(allowed.value), allowed_headers: ['*'], expose_headers: ['ETag'] },
    ]),
  )
  return (
    <Card title="CORS">
      <div class="flex flex-col gap-3 text-sm">
        {rules.length === 0 && <p class="text-muted">No page of another origin may use the bucket.</p>}
        <ul class="flex flex-col divide-y">
          {rules.map((rule, at) => (
            <li key={at} class="flex flex-wrap items-center justify-between gap-2 py-2 [overflow-wrap:anywhere]">
              <span class="min-w-0">
                <code class="font-mono text-xs">{rule.allowed_origins.join(', ')}</code>: {rule.allowed_methods.join(', ')}
              </span>
              <Button
                size="sm"
                variant="ghost"
                icon="trash"
                changes={route}
                orHidden
                onClick$={() => write(rules.filter((_, index) => index !== at))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
        {refused ? (
          <p class="text-xs text-muted">{refused}</p>
        ) : (
          <form noValidate preventdefault:submit onSubmit$={add} class="flex flex-col gap-3">
            <div class="grid gap-3 sm:grid-cols-2">
              <Field label="Origins" help="Such as https://page.example; * allows all.">
                <TextInput value={origins} name="origins" mono />
              </Field>
              <Field label="Methods" help={`Of ${methods.join(', ')}.`}>
                <TextInput value={allowed} name="methods" mono />
              </Field>
            </div>
            <ErrorAlert error={save.error} />
            <div>
              <Button type="submit" size="sm" icon="plus" changes={route} pending={save.isPending}>
                Add rule
              </Button>
            </div>
          </form>
        )}
      </div>
    </Card>
  )
})
