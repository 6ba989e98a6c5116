try: a()
except B: c()
finally: d()
