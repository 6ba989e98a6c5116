"""The live page in a real browser: python tests/serve/page.py [FOLDER]

Wants the Python package playwright and a chromium ($CHROMIUM, default /usr/bin/chromium); not part of CI.
Heals and re-raises by hand, with a program that tries to get markup and scripts into the page; pictures
go to FOLDER.
"""
import os
import sys
import threading

sys.dont_write_bytecode = True
from playwright.sync_api import sync_playwright
from side import Server

EVIL = '<img src=x onerror="document.title=1"><script>document.title=2</script>'


def pause(server, namespace, **more):
    execution = server.execution()
    crash = execution.crash(namespace, **more)[1]['crash']
    threading.Thread(target=execution.serve, args=(crash, namespace), daemon=True).start()


def main(folder):
    with Server() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get('CHROMIUM', '/usr/bin/chromium'), args=['--no-sandbox'])
        page = browser.new_page(viewport={'width': 1280, 'height': 900})
        errors = []
        page.on('pageerror', lambda error: errors.append(str(error)))
        page.on('console', lambda said: 'Content Security' in said.text and errors.append(said.text))

        def picture(name):
            if folder:
                page.wait_for_timeout(200)
                page.screenshot(path=os.path.join(folder, name + '.png'))
        page.goto(server.endpoint + '/')
        page.fill('#token', 'wrong')
        page.click('dialog button')
        page.wait_for_timeout(500)
        assert page.locator('#ask').is_visible(), 'a wrong token is asked for again'
        picture('token')
        page = browser.new_page(viewport={'width': 1280, 'height': 900})
        page.on('pageerror', lambda error: errors.append(str(error)))
        page.goto(server.endpoint + '/#token=' + server.agent_token)
        page.wait_for_selector('#status.live')
        assert 'token' not in page.url, page.url
        namespace = {'table': {'a': 1}, 'name': EVIL}
        pause(server, namespace, error=KeyError(EVIL))
        page.wait_for_selector('#code')
        for number, (code, submit) in enumerate([
                ('sorted(table)', False), ("x = eval('1')", True), ('x = table[name]', True)], 1):
            page.fill('#code', code)
            page.keyboard.press('Control+Shift+Enter' if submit else 'Control+Enter')
            page.wait_for_selector('.action >> nth=%d' % (number - 1))
            page.wait_for_selector('form.act button.main:enabled')
        picture('paused')
        pause(server, {'a': 1}, error=ValueError('second'))
        page.wait_for_selector('nav button:has-text("second")')
        assert page.input_value('#code') == 'x = table[name]', 'another crash leaves the draft'
        page.fill('#code', 'x = table.get(name, 0)')
        page.click('text=Heal and go on')
        page.wait_for_selector('article .badge.resumed')
        assert namespace['x'] == 0
        picture('healed')
        page.click('nav button:has-text("second")')
        page.wait_for_selector('h3:has-text("second")')
        page.click('form.act button.stop')
        page.wait_for_selector('article .badge.reraised')
        page.emulate_media(color_scheme='dark')
        page.set_viewport_size({'width': 420, 'height': 800})
        picture('narrow-and-dark')
        assert page.title() == 'healc: crashes' and page.locator('article img').count() == 0
        server.process.terminate()
        page.wait_for_selector('#status:not(.live)')
        assert not errors, errors
    print('the live page works')


if __name__ == '__main__':
    main(sys.argv[1] if len(sys.argv) > 1 else None)
