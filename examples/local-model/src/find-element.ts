export function findElement<E extends HTMLElement>(id: string, type: new () => E): E {
  const element = document.getElementById(id)
  if (!(element instanceof type)) throw new Error(`The page has no ${type.name} with id ${id}.`)
  return element
}
