/**
 * The schema library, for files that define schemas: bodies, queries and answers of endpoints, arguments of tasks. A definition costs
 * nothing: arktype is loaded, and the schema built, when a schema is first used. A mistake in a definition is thrown then.
 */
import type { ArkErrors, type as arktype, Type } from 'arktype'
import type { configure } from 'arktype/config'
import { lazyPackage } from './process/lazy-package.ts'

export type { Type } from 'arktype'

const loadConfig = lazyPackage<{ readonly configure: typeof configure }>('arktype/config')
const loadArktype = lazyPackage<{ readonly type: typeof arktype }>('arktype')

let isConfigured = false

function library(): typeof arktype {
  // Compiling a schema takes as long as checking thousands of values, and most schemas of a process check few. Read when arktype loads.
  if (!isConfigured) loadConfig().configure({ jitless: true })
  isConfigured = true
  return loadArktype().type
}

type Build = () => Type
type Standard = Pick<Type['~standard'], 'version' | 'validate'> & { readonly vendor: string }
type Make = (...args: readonly unknown[]) => Type

/** How to build the schema that a deferred one stands for. */
const builds = new WeakMap<object, Build>()

/** Methods that derive a schema from another. All other members are used to check or describe values, and build the schema. */
const derivations = new Set<PropertyKey>([
  'and',
  'array',
  'as',
  'atLeastLength',
  'atMostLength',
  'configure',
  'default',
  'describe',
  'get',
  'merge',
  'narrow',
  'omit',
  'onDeepUndeclaredKey',
  'onUndeclaredKey',
  'optional',
  'or',
  'partial',
  'pick',
  'pipe',
  'required',
  'to',
])

function defer(make: Build, standard?: Standard): Type {
  let made: Type | undefined
  const build = () => {
    made ??= make()
    return made
  }
  const schema = new Proxy((() => undefined) as unknown as Type, {
    apply: (_target, _self, [value]) => build()(value),
    has: (_target, name) => name in build(),
    get: (_target, name) => {
      if (name === '~standard' && standard) return standard
      if (derivations.has(name)) return (...args: readonly unknown[]) => defer(() => call(build(), name, args))
      const member = build()[name as keyof Type] as unknown
      // Bound, because the library must see its own object as `this`. Schemas, such as `in` and `out`, can be called too, but are no methods.
      return typeof member === 'function' && Object.getPrototypeOf(member) === Function.prototype ? member.bind(build()) : member
    },
  })
  builds.set(schema, build)
  return schema
}

const call = (owner: object, name: PropertyKey, args: readonly unknown[]): Type => (owner[name as never] as Make)(...args.map(builtIn))

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype

/** A definition with the schemas in it built. */
function builtIn(definition: unknown): unknown {
  if (definition === null || (typeof definition !== 'object' && typeof definition !== 'function')) return definition
  const build = builds.get(definition)
  if (build) return build()
  if (Array.isArray(definition)) return definition.map(builtIn)
  if (!isPlain(definition)) return definition
  return Object.fromEntries(Reflect.ownKeys(definition).map((name) => [name, builtIn(definition[name as never])]))
}

/** Checks `{}`, as the arguments of a task that takes none, without the library unless the value is refused. */
const anyObject = (build: Build): Standard => ({
  version: 1,
  vendor: 'svc',
  validate: (value) => (typeof value === 'object' && value !== null ? { value } : build()['~standard'].validate(value)),
})

const isEmpty = ([first, ...others]: readonly unknown[]): boolean =>
  others.length === 0 && typeof first === 'object' && first !== null && isPlain(first) && Reflect.ownKeys(first).length === 0

function declare(...definition: readonly unknown[]): Type {
  const build = () => (library() as unknown as Make)(...definition.map(builtIn))
  return defer(build, isEmpty(definition) ? anyObject(build) : undefined)
}

export const type: typeof arktype = new Proxy(declare as never, {
  get: (_target, name) => {
    if (name === 'enumerated') return (...values: readonly unknown[]) => defer(() => call(library(), name, values))
    return library()[name as never]
  },
})

type SchemaCheck<T> = { readonly value: T; readonly errors?: undefined } | { readonly errors: ArkErrors }

/** Goes through the Standard Schema interface, so that only files that define schemas load the library. */
export function checkSchema<T extends Type>(schema: T, value: unknown): SchemaCheck<T['infer']> {
  const result = schema['~standard'].validate(value) as { readonly value: T['infer'] } | ArkErrors
  return 'value' in result ? result : { errors: result }
}
