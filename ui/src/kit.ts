/** The door of `@svc/ui-kit`: everything that pages of plugins may import. */
export * from './kit/index.ts'
