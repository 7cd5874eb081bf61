/** Whether a failed request may have been recorded all the same. Pure. */

/** 503 is a refusal: nothing was recorded. Other answers above 500 may come from a proxy behind which the request went on. */
export const mayHaveArrived = ({ status }: { readonly status: number }): boolean => status === 0 || (status >= 500 && status !== 503)
