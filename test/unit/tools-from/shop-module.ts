export const currency = 'EUR'

export function findProduct(query: string, limit = 5): string[] {
  return [query, String(limit)]
}

export const listProducts = (): string[] => []

export class Product {}
