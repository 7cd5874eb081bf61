import { defineEvent } from 'svc/kernel'

/** Published after each greeting, also to the event stream of the Admin API. */
export const greeted = defineEvent<{ readonly message: string }>('hello.greeted')
