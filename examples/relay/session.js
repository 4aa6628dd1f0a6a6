import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { sessionSecret } from './settings.js'

const COOKIE = /(?:^|; )relay_session=([\w-]+)\.([\w-]+)/
const WEEK_S = 7 * 24 * 3600

/** Returns a cookie with a new visitor's id. Served over HTTPS, it should be `Secure`, too. */
export function newSessionCookie() {
  const id = randomUUID()
  return `relay_session=${id}.${sign(id)}; Path=/; Max-Age=${WEEK_S}; HttpOnly; SameSite=Strict`
}

/** Returns the visitor's id, or null without a valid cookie. */
export function visitorOf(request) {
  const [, id, signature] = COOKIE.exec(request.headers.get('cookie') ?? '') ?? []
  return id && isEqual(signature, sign(id)) ? id : null
}

function sign(text) {
  return createHmac('sha256', sessionSecret).update(text).digest('base64url')
}

function isEqual(a, b) {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
