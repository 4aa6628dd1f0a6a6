import 'daisyui/daisyui.css'

// It is CSS alone: what is shown depends on native fields, the focus and what the page marks itself.

const log = { picked: '', confirmed: false, rows: ['Ada', 'Grace', 'Linus'] }
document.querySelector('#app').innerHTML = `
  <div class="navbar"><div class="dropdown"><div tabindex="0" role="button" class="btn">Account</div>
    <ul tabindex="0" class="menu dropdown-content bg-base-100 z-1"><li><a id="profile">Profile</a></li><li><a id="leave">Leave</a></li></ul></div>
    <details class="dropdown" id="more"><summary class="btn">More</summary><ul class="menu dropdown-content bg-base-100 z-1"><li><button id="export">Export</button></li></ul></details></div>
  <fieldset class="fieldset"><legend class="fieldset-legend">Your data</legend>
    <label class="input"><span class="label">Name</span><input id="name"></label>
    <label class="floating-label"><span>Mail</span><input class="input" placeholder="Mail" id="mail"></label>
    <label class="select"><span class="label">Fruit</span><select id="fruit"><option>Apple</option><option>Banana</option></select></label>
    <label class="label"><input type="checkbox" class="toggle" id="wifi"> Wifi</label>
    <label class="label"><input type="checkbox" class="checkbox" id="agree"> Agree</label>
    <label class="label"><input type="radio" class="radio" name="size" value="s"> Small</label><label class="label"><input type="radio" class="radio" name="size" value="l"> Large</label>
    <input type="range" class="range" aria-label="Volume" id="volume" value="10"></fieldset>
  <div class="rating">${[1, 2, 3, 4, 5].map((star) => `<input type="radio" name="stars" class="mask mask-star" aria-label="${star} stars" value="${star}">`).join('')}</div>
  <div class="tabs tabs-box"><input type="radio" name="tabs" class="tab" aria-label="First" checked><div class="tab-content">In the first</div>
    <input type="radio" name="tabs" class="tab" aria-label="Second"><div class="tab-content"><button class="btn" id="inside">In the second</button></div></div>
  <form class="filter" id="filter"><input class="btn btn-square" type="reset" value="×"><input class="btn" type="radio" name="kind" aria-label="Open"><input class="btn" type="radio" name="kind" aria-label="Closed"></form>
  <label class="swap"><input type="checkbox" id="sound"><div class="swap-on">Sound on</div><div class="swap-off">Sound off</div></label>
  <div class="collapse collapse-arrow"><input type="checkbox" id="collapse"><div class="collapse-title">Shipping</div><div class="collapse-content"><button class="btn" id="ship">Ship it</button></div></div>
  <div class="collapse" tabindex="0"><div class="collapse-title">Returns</div><div class="collapse-content"><button class="btn" id="return">Send it back</button></div></div>
  <div class="drawer"><input id="drawer" type="checkbox" class="drawer-toggle"><div class="drawer-content"><label for="drawer" class="btn drawer-button">Open drawer</label></div>
    <div class="drawer-side"><label for="drawer" aria-label="Close drawer" class="drawer-overlay"></label><ul class="menu bg-base-200 min-h-full"><li><a id="orders">Orders</a></li></ul></div></div>
  <table class="table"><thead><tr><th>Person</th><th>Actions</th></tr></thead><tbody id="rows"></tbody></table>
  <div class="join">${[1, 2, 3].map((page) => `<input class="join-item btn btn-square" type="radio" name="page" aria-label="${page}" value="${page}">`).join('')}</div>
  <div class="tooltip" data-tip="Says hello"><button class="btn" id="hello">Hello</button></div>
  <button class="btn" id="ask">Open dialog</button>
  <dialog class="modal" id="modal"><div class="modal-box"><h3>Sure?</h3><div class="modal-action"><form method="dialog"><button class="btn" id="yes">Yes, do it</button><button class="btn">No</button></form></div></div><form method="dialog" class="modal-backdrop"><button>close</button></form></dialog>
  <div class="toast" id="toast"></div>`

const at = (id) => document.getElementById(id)
const chosen = (name) => document.querySelector(`[name="${name}"]:checked`)?.value ?? null
function draw() {
  at('rows').innerHTML = log.rows
    .map((row) => `<tr><td>${row}</td><td><button class="btn btn-xs">Remove</button></td></tr>`)
    .join('')
}
draw()
at('rows').addEventListener('click', ({ target }) => {
  const row = target.closest('button') && target.closest('tr').cells[0].textContent
  if (!row) return
  log.rows = log.rows.filter((one) => one !== row)
  at('toast').innerHTML = `<div class="alert" role="alert">${row} is removed</div>`
  draw()
})
for (const id of ['profile', 'leave', 'export', 'inside', 'ship', 'return', 'orders', 'hello'])
  at(id).addEventListener('click', () => (log.picked = id))
at('ask').addEventListener('click', () => at('modal').showModal())
at('yes').addEventListener('click', () => (log.confirmed = true))
window.state = () => ({
  ...log,
  name: at('name').value,
  mail: at('mail').value,
  fruit: at('fruit').value,
  wifi: at('wifi').checked,
  agree: at('agree').checked,
  size: chosen('size'),
  stars: chosen('stars'),
  page: chosen('page'),
  volume: at('volume').value,
  kind: document.querySelector('[name="kind"]:checked')?.ariaLabel ?? null,
  sound: at('sound').checked,
  drawer: at('drawer').checked,
  open: at('modal').open,
})
