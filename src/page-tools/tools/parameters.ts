/** Parameters that several tools share. */
export const REF = {
  type: 'string',
  description: 'Ref such as e12, or the exact visible name',
} as const

export const CHARACTER = { type: 'integer', minimum: 0 } as const

export const TIMEOUT = {
  type: 'integer',
  minimum: 100,
  maximum: 30_000,
  description: 'Default 5000',
} as const

/** `click` explains and checks the limits: in a schema they cost more than they help. */
export const FRACTION = { type: 'number' } as const
