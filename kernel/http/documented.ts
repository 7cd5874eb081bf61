/** Constraints that a handler enforces with its own error code: the API document shows them, request parsing does not check them. */
import type { ExtensionPoint } from '../core/extension-point.ts'

type JsonSchema = Readonly<Record<string, unknown>>
/** The contributions to an extension point, such as the task kinds. */
export type Contributed = <C>(point: ExtensionPoint<C>) => readonly C[]
type Documented = JsonSchema | ((contributed: Contributed) => JsonSchema)

const schemas = new WeakMap<object, Documented>()

/** For `narrow`: adds members to the JSON Schema of a type and accepts every value. */
export function documented(schema: Documented): (value: unknown) => boolean {
  const accept = () => true
  schemas.set(accept, schema)
  return accept
}

/** The members that `documented` gave to a predicate; empty for any other predicate. */
export function documentedSchema(predicate: object | undefined, contributed: Contributed): JsonSchema {
  const schema = predicate && schemas.get(predicate)
  return typeof schema === 'function' ? schema(contributed) : (schema ?? {})
}
