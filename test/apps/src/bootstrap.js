import 'bootstrap/dist/css/bootstrap.css'
import { Toast, Tooltip } from 'bootstrap'

document.querySelector('#app').innerHTML = `
  <nav class="navbar navbar-expand-sm bg-body-tertiary"><div class="dropdown"><button class="btn dropdown-toggle" data-bs-toggle="dropdown">Account</button>
    <ul class="dropdown-menu"><li><button class="dropdown-item" id="settings">Settings</button></li><li><a class="dropdown-item disabled" aria-disabled="true">Billing</a></li></ul></div></nav>
  <button class="btn" data-bs-toggle="modal" data-bs-target="#modal">Open modal</button>
  <div class="modal fade" id="modal" tabindex="-1" aria-labelledby="title"><div class="modal-dialog"><div class="modal-content"><div class="modal-header"><h1 class="modal-title" id="title">Sure?</h1><button class="btn-close" data-bs-dismiss="modal" aria-label="Close"></button></div>
    <div class="modal-body"><input class="form-control" id="reason" aria-label="Reason"></div><div class="modal-footer"><button class="btn" id="yes" data-bs-dismiss="modal">Yes</button></div></div></div></div>
  <button class="btn" data-bs-toggle="offcanvas" data-bs-target="#side">Open side</button>
  <div class="offcanvas offcanvas-start" id="side" tabindex="-1" aria-label="Side"><button class="btn" id="in-side">In the side</button><button data-bs-dismiss="offcanvas">Close side</button></div>
  <div class="accordion" id="acc"><div class="accordion-item"><h2 class="accordion-header"><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#c1" aria-expanded="false">Shipping</button></h2><div id="c1" class="accordion-collapse collapse"><div class="accordion-body"><button id="ship">Ship it</button></div></div></div></div>
  <button class="btn" id="tip" data-bs-toggle="tooltip" title="A hint">Hint</button> <button class="btn" id="toaster">Save</button>
  <div class="toast-container position-fixed bottom-0 end-0"><div class="toast" id="toast" role="status" aria-live="polite"><div class="toast-body">Saved well</div></div></div>
  <div class="form-check form-switch"><input class="form-check-input" type="checkbox" role="switch" id="switch"><label class="form-check-label" for="switch">Airplane</label></div>
  <div class="btn-group"><input type="radio" class="btn-check" name="r" id="left" autocomplete="off"><label class="btn btn-outline-primary" for="left">Left</label><input type="radio" class="btn-check" name="r" id="right" autocomplete="off"><label class="btn btn-outline-primary" for="right">Right</label></div>
  <div class="form-floating"><input class="form-control" id="mail" placeholder="name@example.com"><label for="mail">Email address</label></div>
  <input type="range" class="form-range" id="range" aria-label="Range" min="0" max="10" value="5">`
const at = (id) => document.getElementById(id)
const log = { settings: 0, confirmed: false, inSide: false, shipped: false, saved: 0 }
new Tooltip(at('tip'))
at('settings').addEventListener('click', () => (log.settings += 1))
at('yes').addEventListener('click', () => (log.confirmed = at('reason').value))
at('in-side').addEventListener('click', () => (log.inSide = true))
at('ship').addEventListener('click', () => (log.shipped = true))
at('toaster').addEventListener('click', () => {
  log.saved += 1
  Toast.getOrCreateInstance(at('toast')).show()
})
window.state = () => ({
  ...log,
  modal: at('modal').classList.contains('show'),
  side: at('side').classList.contains('show'),
  airplane: at('switch').checked,
  right: at('right').checked,
  mail: at('mail').value,
  range: at('range').value,
})
